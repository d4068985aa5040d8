/** The eight facts of an occurrence, as `deriveKey` takes them; capitals of tokens and any offset fold. */
export interface Facts {
  tenant: string;
  delivery: string;
  wake: string;
  agent: string;
  destination: string;
  task: string;
  /** 64 hex digits: the digest of the task's authored object. */
  digest: string;
  /** The slot that the occurrence stands for: a timestamp with an offset. */
  due: string;
}

export interface DerivedKey {
  /** A UUID of version 8, small, with hyphens; keys sort by due time. */
  key: string;
  /** 64 small hex digits. Compare it before you adopt a row that has the same key. */
  fingerprint: string;
  preimage: string;
}

export interface Digested {
  /** 64 small hex digits. */
  digest: string;
  /** The RFC 8785 text that was digested. */
  canonical: string;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

/** A member that may be given, null or left out: the three say the same where null is taken. */
type Optional<T> = T | null | undefined;

/** `on`: a day, `YYYY-MM-DD` or `MM-DD`. `from`, `to`: timestamps, `to` exclusive. */
export type Exclusion = { on: string } | { from: string; to: string };

/** What an element of `any` can say, and any schedule: exactly one of `cron`, `every_s`, `at`, `rrule`. */
export interface ScheduleRule {
  seconds?: Optional<boolean>;
  cron?: Optional<string>;
  every_s?: Optional<number>;
  anchor?: Optional<string>;
  at?: Optional<string>;
  rrule?: Optional<string>;
  start?: Optional<string>;
  timezone?: Optional<string>;
  dst?: Optional<{ gap?: Optional<'shift' | 'skip'>; overlap?: Optional<'first' | 'last' | 'both'> }>;
}

export interface Schedule extends ScheduleRule {
  dialect?: Optional<1>;
  /** A fifth kind beside the four of a rule: the union of 1 to 16 rules. */
  any?: Optional<readonly ScheduleRule[]>;
  starts_at?: Optional<string>;
  ends_at?: Optional<string>;
  exclude?: Optional<readonly Exclusion[]>;
  spread_s?: Optional<number>;
}

export interface Task {
  name?: Optional<string>;
  description?: Optional<string>;
  agent?: Optional<string>;
  destination?: Optional<string>;
  /** `python`, `http`, `celery`, `command` or `pull`; capitals become small. */
  delivery?: Optional<string>;
  entrypoint: string;
  arguments?: Optional<readonly string[]>;
  payload?: Json | undefined;
  schedule: Schedule;
  overlap?: Optional<'skip' | 'queue' | 'allow' | 'replace'>;
  misfire?: Optional<{
    catch_up?: Optional<'latest' | 'all' | 'none'>;
    grace_s?: Optional<number>;
    limit?: Optional<number>;
  }>;
  timeout_s?: Optional<number>;
  retry?: Optional<{
    attempts?: Optional<number>;
    on?: Optional<ReadonlyArray<'failed' | 'timed_out' | 'lost'>>;
    backoff_s?: Optional<number>;
    factor?: Optional<number>;
    max_s?: Optional<number>;
  }>;
  failure_backoff?: Optional<'double' | 'none'>;
  min_interval_s?: Optional<number>;
  max_interval_s?: Optional<number>;
  paused_until?: Optional<string>;
  pause_note?: Optional<string>;
  resume?: Optional<'next_slot' | 'at_end'>;
  labels?: Optional<Readonly<Record<string, string>>>;
  display?: Json | undefined;
}

export interface Folded extends Digested {
  /** The authored object: what is stored, digested and shown back. */
  authored: { [name: string]: Json };
}

/** Input that does not fit. `code` says why; `fact` is the fact's name, or the path of a task's member. */
export class Refusal extends Error {
  readonly name: 'Refusal';
  readonly code: string;
  readonly fact: string;
  constructor(code: string, fact: string, message?: string);
}

/** The key of the occurrence that the facts identify. Throws Refusal with the first failing check. */
export function deriveKey(facts: Facts): DerivedKey;

/**
 * The digest of an authored object as it stands: no default is applied, nothing is left out. To
 * digest what a person wrote, `fold` it. Throws Refusal (fact `authored`), or TypeError for a value
 * that is no JSON.
 */
export function digest(authored: { readonly [name: string]: Json | undefined }): Digested;

/**
 * A task as it is stored: defaults left out, normal forms, and its digest. Throws Refusal (code
 * `bad_task`) with the path of the first failing member, or TypeError for a value that is no JSON.
 */
export function fold(task: Task): Folded;

/** The canonical form of a timestamp: UTC, microseconds, `Z`. Throws Refusal, fact `due`. */
export function readDue(text: string): string;

/** Whole seconds from a task's due to its `run_at`: 0 to `spreadS`, the same for ever. */
export function spreadSeconds(tenant: string, task: string, spreadS: number): number;

/**
 * How long retry `n` (from 1) waits, in whole microseconds. `fingerprint` is the retry's own, in
 * hex; the members of `backoff` are those of the task's `retry`, defaults applied, in seconds.
 */
export function retryWaitMicros(
  fingerprint: string,
  n: number,
  backoff: { backoffS: number; factor: number; maxS: number },
): number;

/**
 * Where the zones are: the folder of the PyPI package `tzdata`, the one that holds `zones` and `zoneinfo`. Call it
 * once, before slots are asked for. Throws Error unless it is there and of the pinned release.
 */
export function useTzdata(folder: string): void;

/**
 * The first slot strictly after a timestamp (from 1800-01-01T00:00:00Z on), in the canonical form; null where the
 * series has ended. Throws Refusal: `bad_schedule`, a code of a timestamp with the fact `after`, or `not_implemented`
 * for `rrule`.
 */
export function nextSlot(schedule: Schedule, after: string): string | null;

/** The last slot strictly before a timestamp; null where there is none from 1800 on. Throws as `nextSlot`, fact `before`. */
export function previousSlot(schedule: Schedule, before: string): string | null;
