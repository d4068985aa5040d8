// The zone names that a schedule may have: the lines of `zones` of one release of tzdata. The file
// zones.json is a copy; `tools/zones.mjs` writes it and compares it with the package.

import pinned from './zones.json' with { type: 'json' };
import { misfit } from './forms.js';
import { nearest } from './nearest.js';

export const PINNED = pinned.tzdata;
const NAMES = new Set(pinned.zones);

/** The name itself, if it is one, exactly. */
export function readZone(name) {
  if (!NAMES.has(name)) misfit(`no such zone in tzdata ${pinned.tzdata}; the nearest is ${nearest(name, pinned.zones)}`);
  return name;
}
