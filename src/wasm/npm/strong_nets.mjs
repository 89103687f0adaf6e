// node strong_nets.mjs FOLDER FILE: packs the nets of a folder as module.js unpacks them.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

const [folder, file] = process.argv.slice(2);
const parts = [];
for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".net")).sort()) {
  const net = readFileSync(`${folder}/${name}`);
  const half = net.length >> 1;
  const planes = Buffer.from(net);
  for (let n = 0; n < half; n += 1) {
    const number = net.readInt16LE(2 * n);
    const zigzag = (number << 1) ^ (number >> 15);
    planes[n] = zigzag & 255;
    planes[half + n] = (zigzag >> 8) & 255;
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(net.length);
  parts.push(Buffer.from([name.length]), Buffer.from(name), length, planes);
}
writeFileSync(file, deflateRawSync(Buffer.concat(parts), { level: 9 }));
