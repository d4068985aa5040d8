// What the tests ask: which refusal, and what the fold leaves of a task.

import { Refusal, fold } from '../index.js';

/** `code fact` of the refusal that `act` throws. */
export function refusal(act) {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.code} ${error.fact}`;
  }
  return 'not refused';
}

const PLAIN = { entrypoint: 'report', schedule: { every_s: 60 } };

/** The authored object of a plain task with these members, or the path of the refusal. */
export function folded(members) {
  const task = { ...PLAIN, ...members };
  const answer = refusal(() => fold(task));
  if (answer !== 'not refused') return answer.replace('bad_task ', '! ');
  return fold(task).authored;
}

/** What is left of `value` as the member `name` of a plain task: undefined where it is left out. */
export function member(name, value) {
  const answer = folded({ [name]: value });
  return typeof answer === 'string' ? answer : answer[name];
}

/** What is left of a schedule, or the path of the refusal. */
export function schedule(members) {
  return member('schedule', members);
}
