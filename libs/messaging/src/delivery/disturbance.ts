import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { BufferRow } from './bucket-buffer.js';
import type { DeliveryOutcome } from './delivery.js';

export type HandOver = (row: BufferRow) => Promise<DeliveryOutcome>;

/** For tests: wraps `deliver()` and does what the event bus contract allows. */
export interface Disturbance {
  /** Returns the outcome of one try. */
  around(row: BufferRow, group: string, handOver: HandOver): Promise<DeliveryOutcome>;
}

export const MAX_DELAY_MS = 200;

/**
 * Extra deliveries, all allowed by "at least once, in order within a key":
 * - `again`: repeated after success (crash before the cursor was stored)
 * - `meanwhile`: in parallel to the first (handler given up as too slow)
 * - `from_before`: the previous event again, then this one (crash that sets the cursor back by two)
 */
export type Repeat = 'none' | 'again' | 'meanwhile' | 'from_before';

export interface Upset {
  /** Before delivery; other keys and groups pass meanwhile. */
  readonly delayMs: number;
  readonly repeat: Repeat;
  /** Between deliveries. */
  readonly repeatAfterMs: number;
}

/** Half of all events come twice. */
const REPEATS: readonly Repeat[] = [
  ...Array<Repeat>(8).fill('none'),
  ...Array<Repeat>(3).fill('again'),
  ...Array<Repeat>(3).fill('meanwhile'),
  ...Array<Repeat>(2).fill('from_before'),
];
const DELAYS_UP_TO_MS = [0, 0, 0, 0, 10, 10, 20, MAX_DELAY_MS] as const;
const KEYS_REMEMBERED = 4_096;

/** Nothing that differs between runs, such as an event id. */
type Place = Pick<BufferRow, 'topic' | 'key' | 'sequence' | 'tries'>;

/** Deterministic for the same seed, group and place. */
export function upsetOf(seed: number, group: string, { topic, key, sequence, tries }: Place): Upset {
  const bytes = createHash('sha256')
    .update(JSON.stringify([seed, group, topic, key, sequence, tries]))
    .digest();
  const upTo = DELAYS_UP_TO_MS[bytes[0]! % DELAYS_UP_TO_MS.length]!;
  return {
    delayMs: bytes.readUInt16BE(1) % (upTo + 1),
    repeat: REPEATS[bytes[3]! % REPEATS.length]!,
    repeatAfterMs: bytes.readUInt16BE(4) % 21,
  };
}

/**
 * The disturbance of a try depends only on seed and try. The worst delivery decides the outcome, to find handlers
 * that are not idempotent.
 */
export class SeededDisturbance implements Disturbance {
  private readonly before = new Map<string, BufferRow>();

  public constructor(private readonly seed: number) {}

  public async around(row: BufferRow, group: string, handOver: HandOver): Promise<DeliveryOutcome> {
    const upset = upsetOf(this.seed, group, row);
    await pause(upset.delayMs);
    const outcome = await this.carryOut(upset, row, group, handOver);
    if (outcome.kind === 'handled') this.remember(row, group);
    return outcome;
  }

  private async carryOut(
    { repeat, repeatAfterMs }: Upset,
    row: BufferRow,
    group: string,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    if (repeat === 'meanwhile') {
      const second = pause(repeatAfterMs).then(() => handOver(row));
      return worst(await Promise.all([handOver(row), second]));
    }
    const first = await handOver(row);
    if (first.kind !== 'handled' || repeat === 'none') return first;
    await pause(repeatAfterMs);
    const earlier = repeat === 'from_before' ? this.before.get(nameOf(row, group)) : undefined;
    const outcomes = earlier === undefined ? [] : [await handOver(earlier)];
    return worst([...outcomes, await handOver(row)]);
  }

  private remember(row: BufferRow, group: string): void {
    const name = nameOf(row, group);
    this.before.delete(name);
    // A copy, because a done row loses its text.
    this.before.set(name, { ...row });
    if (this.before.size <= KEYS_REMEMBERED) return;
    for (const oldest of this.before.keys()) {
      this.before.delete(oldest);
      return;
    }
  }
}

const FROM_BAD_TO_GOOD: readonly DeliveryOutcome['kind'][] = ['refused', 'failed', 'late', 'outage', 'handled'];

function worst(outcomes: readonly DeliveryOutcome[]): DeliveryOutcome {
  const rank = ({ kind }: DeliveryOutcome): number => FROM_BAD_TO_GOOD.indexOf(kind);
  return outcomes.reduce((one, other) => (rank(other) < rank(one) ? other : one));
}

function nameOf({ topic, key }: BufferRow, group: string): string {
  return JSON.stringify([group, topic, key]);
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { ref: false });
}
