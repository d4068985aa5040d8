// Compares src/zones.json with the `zones` file of the tzdata package, or writes it anew:
//   node tools/zones.mjs PATH/TO/tzdata/zones [--write RELEASE]
// Exit 0: they agree. 1: they differ. 2: called wrongly.

import { readFileSync, writeFileSync } from 'node:fs';

const COPY = new URL('../src/zones.json', import.meta.url);

const [source, option, release] = process.argv.slice(2);
if (source === undefined || (option !== undefined && (option !== '--write' || release === undefined))) {
  console.error('usage: node tools/zones.mjs PATH/TO/tzdata/zones [--write RELEASE]');
  process.exit(2);
}
const zones = readFileSync(source, 'utf8').split('\n').filter((line) => line !== '');
if (option === '--write') {
  writeFileSync(COPY, `${JSON.stringify({ tzdata: release, zones }, null, 1)}\n`);
}
const copy = JSON.parse(readFileSync(COPY, 'utf8'));
const absent = zones.filter((zone) => !copy.zones.includes(zone));
const extra = copy.zones.filter((zone) => !zones.includes(zone));
for (const zone of absent) console.log(`only in the package: ${zone}`);
for (const zone of extra) console.log(`only in the copy: ${zone}`);
console.log(`${zones.length} zones in the package, ${copy.zones.length} in the copy of tzdata ${copy.tzdata}`);
process.exit(absent.length + extra.length > 0 ? 1 : 0);
