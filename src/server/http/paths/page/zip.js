// Packs files into a ZIP archive. A browser without the compressor (before 2023) stores them as they are.

const [STORED, DEFLATED] = [0, 8];
const VERSION = 20;
// The first day that the format knows.
const DAY = 0x21;
const POLYNOMIAL = 0xedb88320;

const u16 = (value) => [value & 255, value >>> 8];
const u32 = (value) => [...u16(value & 65_535), ...u16(value >>> 16)];

function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? POLYNOMIAL : 0);
  }
  return ~sum >>> 0;
}

async function packed(bytes) {
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return [DEFLATED, new Uint8Array(await new Response(stream).arrayBuffer())];
  } catch {
    return [STORED, bytes];
  }
}

// `files` are rows of an ASCII name and bytes.
export async function zip(files) {
  const [parts, list] = [[], []];
  let offset = 0;
  for (const [name, bytes] of files) {
    const [method, content] = await packed(bytes);
    const letters = new TextEncoder().encode(name);
    const facts = [VERSION, 0, method, 0, DAY].flatMap(u16).concat([crc32(bytes), content.length, bytes.length].flatMap(u32), u16(letters.length), u16(0));
    const local = new Uint8Array([...u32(0x04034b50), ...facts, ...letters]);
    parts.push(local, content);
    list.push(...u32(0x02014b50), ...u16(VERSION), ...facts, ...[0, 0, 0, 0, 0].flatMap(u16), ...u32(offset), ...letters);
    offset += local.length + content.length;
  }
  const end = [...u32(0x06054b50), ...[0, 0, files.length, files.length].flatMap(u16), ...u32(list.length), ...u32(offset), ...u16(0)];
  return new Blob([...parts, new Uint8Array(list), new Uint8Array(end)]);
}
