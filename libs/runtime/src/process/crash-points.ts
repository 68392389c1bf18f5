import { writeSync } from 'node:fs';

/**
 * The places where a test may have this process die, by name: on both sides of each commit, between a call and its record,
 * between the relay and the inbox, in the middle of a webhook. Each is called from exactly one place.
 */
export const CRASH_POINTS = [
  'gateway.before-accept-call',
  'gateway.after-accept-call',
  'payments.before-commit',
  'payments.after-commit',
  'payments.after-start',
  'payments.after-claim',
  'payments.before-record',
  'payments.after-record',
  'event_bus.before-handler',
  'event_bus.after-handler',
  'event_bus.before-cursor',
  'notifier.after-claim',
  'notifier.before-post',
  'notifier.after-post',
  'notifier.after-record',
  'offramp.before-verdict',
  'offramp.after-verdict',
  'offramp.before-sign',
  'offramp.after-sign',
  'offramp.after-broadcast',
  'checkout.after-reserve',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Where to die, and the how-manieth time that this place is reached, from 1. */
export interface CrashAt {
  readonly point: CrashPoint;
  readonly time: number;
}

interface Armed {
  readonly at: CrashAt;
  readonly die: (point: CrashPoint) => void;
  reached: number;
}

let armed: Armed | undefined;

/** Dies here if a test has asked for it; else it costs the look at one variable. */
export function crashPoint(point: CrashPoint): void {
  if (armed !== undefined) reach(armed, point);
}

/**
 * Called with the setting VUKA_CRASH_AT, which live refuses, once the process is ready: its start alone passes some places many times, and each
 * death on the way would cost another start. undefined disarms. `die` is for tests of this file.
 */
export function armCrashPoint(at: CrashAt | undefined, die: (point: CrashPoint) => void = killThisProcess): void {
  armed = at === undefined ? undefined : { at, die, reached: 0 };
}

/** Reads `<name>` or `<name>:<n>`, n from 1. Undefined for anything else. */
export function parseCrashAt(text: string): CrashAt | undefined {
  const [, name, count = '1'] = /^([a-z.-]+)(?::([1-9]\d{0,6}))?$/.exec(text) ?? [];
  const point = CRASH_POINTS.find((known) => known === name);
  return point === undefined ? undefined : { point, time: Number(count) };
}

function reach(state: Armed, point: CrashPoint): void {
  if (state.at.point !== point) return;
  state.reached += 1;
  if (state.reached === state.at.time) state.die(point);
}

/** As a power cut would: no handler runs, no buffer is written out, no connection is closed. */
function killThisProcess(point: CrashPoint): void {
  try {
    writeSync(2, `crash point ${point} reached: this process kills itself\n`);
  } catch {
    // Nobody reads; dying is what was asked for.
  }
  process.kill(process.pid, 'SIGKILL');
}
