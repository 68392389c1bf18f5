import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { BufferRow } from './bucket-buffer.js';
import type { DeliveryOutcome } from './delivery.js';

/** Hands a row to its group once. */
export type HandOver = (row: BufferRow) => Promise<DeliveryOutcome>;

/** Stands between the relay and `deliver()` and makes the most of what the contract of an event bus allows. For tests. */
export interface Disturbance {
  /** One try of one row; answers what the relay is to make of it. */
  around(row: BufferRow, group: string, handOver: HandOver): Promise<DeliveryOutcome>;
}

/** The longest that a test event bus keeps a hand-over waiting. */
export const MAX_DELAY_MS = 200;

/**
 * How often an event is handed over besides its one time, each of them allowed by "at least once, in order within a key":
 * - `again`: once more after it was handled (a crash before the cursor was stored);
 * - `meanwhile`: once more while the first is under way (a handler that was given up as too slow);
 * - `from_before`: the event before it once more and then it (a crash that takes the cursor back by two).
 */
export type Repeat = 'none' | 'again' | 'meanwhile' | 'from_before';

/** What happens to one try. */
export interface Upset {
  /** Before the event is handed over: other keys and other groups pass it meanwhile. */
  readonly delayMs: number;
  readonly repeat: Repeat;
  /** Between the hand-overs. */
  readonly repeatAfterMs: number;
}

/** Out of 16, so that one in two events comes twice. */
const REPEATS: readonly Repeat[] = [
  ...Array<Repeat>(8).fill('none'),
  ...Array<Repeat>(3).fill('again'),
  ...Array<Repeat>(3).fill('meanwhile'),
  ...Array<Repeat>(2).fill('from_before'),
];
/** Half of all hand-overs wait not at all, most others shortly, one in eight as long as it may. */
const DELAYS_UP_TO_MS = [0, 0, 0, 0, 10, 10, 20, MAX_DELAY_MS] as const;
const KEYS_REMEMBERED = 4_096;

/** Where a try is: nothing that differs between two runs of one test, as an event's id would. */
type Place = Pick<BufferRow, 'topic' | 'key' | 'sequence' | 'tries'>;

/** What the seed has for this try: always the same for the same place and group. */
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
 * Disturbs by a seed. What a try is done to depends on the seed and the try alone; the order in which things then happen
 * is the scheduler's. A try ends as the worst of its hand-overs did, so a handler that bears no repeating is found out.
 */
export class SeededDisturbance implements Disturbance {
  /** The last row handled of each key and group. */
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
    // As it is now: once it is done, its text is let go of.
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
