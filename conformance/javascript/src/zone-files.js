// The zone files: those of the `tzdata` package of PyPI, of the pinned release, from a folder that somebody names. The
// host's own zones, and those of JavaScript, are never looked at: they are of another release, or of none.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { periodsOf } from './periods.js';
import { readTzif } from './tzif.js';
import { PINNED } from './zones.js';

let folder = null;
const read = new Map();

/** `2026.6` as the database itself calls it: `2026f`. */
function ianaName(release) {
  const [year, number] = release.split('.');
  return `${year}${'abcdefghijklmnopqrstuvwxyz'[Number(number) - 1]}`;
}

/**
 * Take zones from the package's folder (the one that holds `zones` and `zoneinfo`). Throws Error unless it is there and
 * of the pinned release.
 */
export function useTzdata(path) {
  const [line] = readFileSync(join(path, 'zoneinfo', 'tzdata.zi'), 'utf8').split('\n', 1);
  const wanted = `# version ${ianaName(PINNED)}`;
  if (line !== wanted) throw new Error(`${path} holds another release of tzdata than ${PINNED}: ${line}`);
  folder = join(path, 'zoneinfo');
  read.clear();
}

export function hasTzdata() {
  return folder !== null;
}

/** The periods of a zone of the pinned list, read once. Throws Error without `useTzdata`. */
export function periodsOfZone(name) {
  if (folder === null) throw new Error('no zone files: call useTzdata with the folder of the tzdata package');
  if (!read.has(name)) read.set(name, periodsOf(readTzif(readFileSync(join(folder, ...name.split('/'))))));
  return read.get(name);
}
