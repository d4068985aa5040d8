// src/zones.json is the `zones` file of the tzdata that the whole project pins.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../', import.meta.url);
const { tzdata, zones } = JSON.parse(readFileSync(new URL('../src/zones.json', import.meta.url), 'utf8'));
const PINS = new URL('constraints.txt', ROOT);
const [installed] = globSync('.venv/lib/python3*/site-packages/tzdata/zones', { cwd: fileURLToPath(ROOT) });

test('the release is the one that the project pins', { skip: !existsSync(PINS) && 'outside the project' }, () => {
  assert.match(readFileSync(PINS, 'utf8'), new RegExp(`^tzdata==${tzdata.replace('.', '\\.')}$`, 'm'));
});

test('the names are those of the package', { skip: installed === undefined && 'tzdata is not installed here' }, () => {
  const lines = readFileSync(new URL(installed, ROOT), 'utf8').split('\n');
  assert.deepEqual(zones, lines.filter((line) => line !== ''));
});
