// Writes a database of SQLite 3 (sqlite.org/fileformat2.html): tables of rows, without indexes.

// The largest page: a list of leaves, one page too, has room for 250 MB of rows.
const PAGE = 65_536;
const FILE_HEADER = 100;
const [LEAF, INTERIOR] = [13, 5];
const PAGE_HEADER = 12;
// A longer row goes on in overflow pages and fills them, if what then stays in the leaf has at most LOCAL_MAX bytes; else LOCAL_MIN stay.
const LOCAL_MAX = PAGE - 35;
const LOCAL_MIN = Math.floor(((PAGE - 12) * 32) / 255) - 23;
const OVERFLOW = PAGE - 4;
const utf8 = new TextEncoder();

const u16 = (value) => [value >> 8, value & 255];
const u32 = (value) => [...u16(value >>> 16), ...u16(value & 65_535)];

// Groups of seven bits, the highest first.
const varint = (value, mark = 0) => [...(value < 128 ? [] : varint(Math.floor(value / 128), 128)), (value % 128) + mark];

function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

// The serial type and the bytes of a value: null, a whole number, or a text.
function stored(value) {
  if (value === null) return [0, []];
  if (typeof value === "number") return [6, new Uint8Array(new BigInt64Array([BigInt(value)]).buffer).reverse()];
  const bytes = utf8.encode(value);
  return [13 + 2 * bytes.length, bytes];
}

// The size of the head counts itself: one byte for up to 20 columns.
function record(values) {
  const columns = values.map(stored);
  const types = columns.flatMap(([type]) => varint(type));
  return joined([[types.length + 1], types, ...columns.map(([, bytes]) => bytes)]);
}

// `tables` are rows of a name, its columns in SQL, and its rows. The first column is the integer primary key, by which the rows are in order.
export function database(tables) {
  // The first page has the schema; the roots of the tables follow.
  const pages = [null, ...tables.map(() => null)];

  const cell = ([key, values]) => {
    const row = record(values);
    const rest = LOCAL_MIN + ((row.length - LOCAL_MIN) % OVERFLOW);
    const local = row.length <= LOCAL_MAX ? row.length : rest <= LOCAL_MAX ? rest : LOCAL_MIN;
    const next = (from) => (from < row.length ? u32(pages.length + 1) : [0, 0, 0, 0]);
    const bytes = joined([varint(row.length), varint(key), row.subarray(0, local), local < row.length ? next(local) : []]);
    for (let from = local; from < row.length; from += OVERFLOW) {
      const page = new Uint8Array(PAGE);
      pages.push(page);
      page.set(next(from + OVERFLOW));
      page.set(row.subarray(from, from + OVERFLOW), 4);
    }
    return { key, bytes };
  };

  // Cells lie at the end of their page, and their places behind its head.
  const put = (number, kind, cells, last = []) => {
    const page = new Uint8Array(PAGE);
    let end = PAGE;
    const places = cells.flatMap((bytes) => {
      end -= bytes.length;
      page.set(bytes, end);
      return u16(end);
    });
    page.set([kind, 0, 0, ...u16(cells.length), ...u16(end), 0, ...last, ...places], number === 0 ? FILE_HEADER : 0);
    pages[number] = page;
  };

  // The rows in leaves, and a list of these if there are several.
  const tree = (root, rows) => {
    const leaves = [[]];
    let room = PAGE;
    for (const one of rows.map(cell)) {
      room -= one.bytes.length + 2;
      if (room < FILE_HEADER + PAGE_HEADER && leaves.at(-1).length > 0) {
        leaves.push([]);
        room = PAGE - one.bytes.length - 2;
      }
      leaves.at(-1).push(one);
    }
    const numbers = leaves.map((cells) => {
      const number = leaves.length === 1 ? root : pages.length;
      put(number, LEAF, cells.map(({ bytes }) => bytes));
      return u32(number + 1);
    });
    if (leaves.length > 1) put(root, INTERIOR, leaves.slice(0, -1).map((cells, at) => [...numbers[at], ...varint(cells.at(-1).key)]), numbers.at(-1));
  };

  tables.forEach(([, , rows], at) => tree(at + 1, rows.map(([key, ...values]) => [key, [null, ...values]])));
  tree(0, tables.map(([name, columns], at) => [at + 1, ["table", name, name, at + 2, `CREATE TABLE ${name} (${columns})`]]));
  // A page size of 1 stands for 65,536; the number of pages is that of the file. The format of the schema is 4, that of texts UTF-8.
  pages[0].set([...utf8.encode("SQLite format 3\0"), 0, 1, 1, 1, 0, 64, 32, 32, ...[0, 0, 0, 0, 1, 4, 0, 0, 1].flatMap(u32)]);
  return joined(pages);
}
