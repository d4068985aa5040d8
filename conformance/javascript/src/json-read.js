// A strict reader of RFC 8259. `JSON.parse` keeps the last of two equal names and says nothing, and
// a decoder replaces what is not UTF-8; a key must not hang on either, so the text is read here.

import { Members } from './json-value.js';
import { Misfit } from './refusal.js';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const HEX = /^[0-9A-Fa-f]{4}$/;
const ESCAPED = new Map(Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));
const LITERALS = new Map(Object.entries({ t: ['true', true], f: ['false', false], n: ['null', null] }));
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class Reader {
  constructor(text, levels) {
    this.text = text;
    this.at = 0;
    this.levels = levels;
  }

  fail(what) {
    throw new Misfit('bad_json', `${what} at character ${this.at + 1}`);
  }

  skipSpace() {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d) return;
      this.at += 1;
    }
  }

  /** Whether the next character is `character`; if so it is passed, with the space after it. */
  take(character) {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    this.skipSpace();
    return true;
  }

  value(level) {
    const first = this.text[this.at];
    if (first === '{' || first === '[') {
      if (level > this.levels) this.fail(`more than ${this.levels} levels`);
      return first === '{' ? this.object(level) : this.array(level);
    }
    if (first === '"') return this.string();
    if (LITERALS.has(first)) return this.literal(...LITERALS.get(first));
    return this.number();
  }

  object(level) {
    const pairs = [];
    this.take('{');
    if (this.take('}')) return new Members(pairs);
    do {
      if (this.text[this.at] !== '"') this.fail('no name of a member');
      const name = this.string();
      this.skipSpace();
      if (!this.take(':')) this.fail('no colon');
      pairs.push([name, this.value(level + 1)]);
      this.skipSpace();
    } while (this.take(','));
    if (!this.take('}')) this.fail('an object that does not end');
    return new Members(pairs);
  }

  array(level) {
    const elements = [];
    this.take('[');
    if (this.take(']')) return elements;
    do {
      elements.push(this.value(level + 1));
      this.skipSpace();
    } while (this.take(','));
    if (!this.take(']')) this.fail('an array that does not end');
    return elements;
  }

  string() {
    let read = '';
    this.at += 1;
    for (let from = this.at; ; from = this.at) {
      let unit = this.text.charCodeAt(this.at);
      while (unit >= 0x20 && unit !== QUOTE && unit !== BACKSLASH) unit = this.text.charCodeAt(++this.at);
      read += this.text.slice(from, this.at);
      if (unit === QUOTE) break;
      if (unit !== BACKSLASH) this.fail('a text that does not end, or a bare control character');
      read += this.escape();
    }
    this.at += 1;
    return read;
  }

  escape() {
    const letter = this.text[this.at + 1];
    if (ESCAPED.has(letter)) {
      this.at += 2;
      return ESCAPED.get(letter);
    }
    const digits = this.text.slice(this.at + 2, this.at + 6);
    if (letter !== 'u' || !HEX.test(digits)) this.fail('an unknown escape');
    this.at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  number() {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    if (found === null) this.fail('no JSON value');
    this.at = NUMBER.lastIndex;
    return Number(found[0]);
  }

  literal(word, value) {
    if (!this.text.startsWith(word, this.at)) this.fail('no JSON value');
    this.at += word.length;
    return value;
  }
}

/**
 * The one JSON value that `source` (UTF-8 bytes, or text) is. Objects come as `Members`. Throws
 * Misfit `bad_json` for anything else, and for more than `levels` levels of objects and arrays.
 */
export function readJson(source, levels = 100) {
  let text = source;
  if (typeof source !== 'string') {
    try {
      text = UTF8.decode(source);
    } catch {
      throw new Misfit('bad_json', 'not UTF-8');
    }
  }
  const reader = new Reader(text, levels);
  reader.skipSpace();
  const value = reader.value(1);
  reader.skipSpace();
  if (reader.at < text.length) reader.fail('something after the JSON value');
  return value;
}
