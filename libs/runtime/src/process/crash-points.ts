import { writeSync } from 'node:fs';

/**
 * Tests kill the process around commits, between call and record, relay and inbox, within a webhook. Each is
 * called from one place.
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
  'payments.callback-stored',
  'payments.callback-read',
  'payments.callback-recorded',
  'event-bus.before-handler',
  'event-bus.after-handler',
  'event-bus.before-cursor',
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

/** `time`: the n-th visit, from 1. */
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

/** Nearly free when not armed. */
export function crashPoint(point: CrashPoint): void {
  if (armed !== undefined) reach(armed, point);
}

/**
 * VUKA_CRASH_AT, refused in live; armed once ready, because startup passes some points often. undefined
 * disarms. `die`: for tests.
 */
export function armCrashPoint(at: CrashAt | undefined, die: (point: CrashPoint) => void = killThisProcess): void {
  armed = at === undefined ? undefined : { at, die, reached: 0 };
}

/** `<name>` or `<name>:<n>`, n from 1; else undefined. */
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

/** Like a power cut: no handler runs, no buffer is flushed. */
function killThisProcess(point: CrashPoint): void {
  try {
    writeSync(2, `crash point ${point} reached: this process kills itself\n`);
  } catch {
    // Nobody reads stderr; die anyway.
  }
  process.kill(process.pid, 'SIGKILL');
}
