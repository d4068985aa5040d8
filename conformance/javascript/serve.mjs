#!/usr/bin/env node
// The program that the conformance runner tests: requests on standard input, answers on standard
// output, one line each, in order, each written before the next request is looked at.
//   node serve.mjs [FOLDER]     the folder of the tzdata package; without it there are no slots

import { Lines } from './src/lines.js';
import { MOST_LINE_BYTES, answer } from './src/protocol.js';
import { useTzdata } from './src/zone-files.js';

// The runner may go away first; there is nobody left to answer.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const [tzdata] = process.argv.slice(2);
if (tzdata !== undefined) useTzdata(tzdata);

function written(text) {
  return new Promise((resolve) => {
    process.stdout.write(text, resolve);
  });
}

const lines = new Lines(MOST_LINE_BYTES);
for await (const chunk of process.stdin) {
  for (const line of lines.push(chunk)) await written(`${answer(line)}\n`);
}
for (const line of lines.end()) await written(`${answer(line)}\n`);
