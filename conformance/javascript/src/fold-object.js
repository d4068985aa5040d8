// How any object of the authored object folds: unknown members first, then what the object's kind
// asks, then its members in the order of their table. `task-table.js` and `schedule.js` are the tables.

import { Members } from './json-value.js';
import { canonical } from './json-write.js';
import { nearest } from './nearest.js';
import { Misfit, Refusal } from './refusal.js';
import { compareCodePoints } from './text.js';

/**
 * A member of a table.
 * @typedef {object} Member
 * @property {string} name
 * @property {Function} form `(value, folded)` to the folded value, or Misfit; `folded` holds the members above.
 * @property {object} [object] instead of a form: `{members, shape}` of an inner object.
 * @property {Array} [elements] instead of a form: `(value, path)` to the folded value, for arrays with paths of their own.
 * @property {string} [fallback] the default, as canonical text; without one nothing equals it.
 * @property {Function} [needed] `(given)`: whether the member may not be missing.
 * @property {Function} [rule] `(value, {given, folded})`: Misfit where it does not go with the others.
 */

export function pathOf(parent, name) {
  return parent === '' ? name : `${parent}.${name}`;
}

export function refuse(path, message) {
  throw new Refusal('bad_task', path, `${path} is refused: ${message}`);
}

/** Runs `read`, so that a Misfit becomes the refusal of `path`. */
export function at(path, read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Misfit) refuse(path, error.message);
    throw error;
  }
}

function foldMember(member, value, path, folded) {
  if (member.object) return foldObject(value, path, member.object);
  if (member.elements) return member.elements(value, path);
  return member.form(value, folded);
}

function isLeftOut(member, value) {
  if (member.object && value.pairs.length === 0) return true;
  return member.fallback !== undefined && canonical(value) === member.fallback;
}

function refuseUnknown(value, path, names) {
  const [unknown] = value.pairs.map(([name]) => name).filter((name) => !names.includes(name)).sort(compareCodePoints);
  if (unknown === undefined) return;
  refuse(pathOf(path, unknown), `there is no such member; the nearest is ${nearest(unknown, names)}`);
}

/**
 * The folded object: `Members` of what remains, in the table's order. `shape(given)` throws Misfit
 * where the members that are not null do not make an object of this kind. Throws Refusal with the
 * path of the first failing member.
 */
export function foldObject(value, path, { members, shape = () => {} }) {
  if (!(value instanceof Members)) refuse(path, 'an object is needed');
  refuseUnknown(value, path, members.map(({ name }) => name));
  const given = new Map(value.pairs.filter(([, member]) => member !== null));
  at(path, () => shape(given));
  const folded = new Map();
  for (const member of members) {
    const memberPath = pathOf(path, member.name);
    at(memberPath, () => {
      if (!given.has(member.name)) {
        if (member.needed?.(given)) refuse(memberPath, 'it is missing');
        return;
      }
      const made = foldMember(member, given.get(member.name), memberPath, folded);
      if (isLeftOut(member, made)) return;
      member.rule?.(made, { given, folded });
      folded.set(member.name, made);
    });
  }
  return new Members([...folded]);
}
