import { describe, expect, it } from '@jest/globals';
import { WakeSignal } from '@vuka/runtime';

import type { LogRow } from '../outbox/producer-log.js';
import type { DeliveryOutcome } from './delivery.js';
import { MAX_DELAY_MS, SeededDisturbance, upsetOf, type Repeat } from './disturbance.js';

const handled: DeliveryOutcome = { kind: 'handled' };

function row(key: string, sequence: number, tries = 0): LogRow {
  const position = { xid: '1', id: '1' };
  return {
    bucket: 0,
    position,
    topic: 'things',
    key,
    sequence,
    eventId: `${key}-${sequence}`,
    bytes: 2,
    text: '{}',
    tries,
    cancelledMs: 0,
    cancelledAtMs: null,
    deadLetter: null,
    done: false,
  };
}

const tries = Array.from({ length: 4_000 }, (_, n) => ({
  seed: n % 7,
  group: `g${n % 3}`,
  place: row(`k${n}`, 1 + (n % 5), n % 2),
}));

/** The first sequence with this repeat of key k. */
function sequenceWith(seed: number, repeat: Repeat, from = 1): number {
  for (let sequence = from; ; sequence += 1) {
    if (upsetOf(seed, 'g', row('k', sequence)).repeat === repeat) return sequence;
  }
}

describe('what a seed decides', () => {
  it('is the same in each run, and does not depend on random ids', () => {
    for (const { seed, group, place } of tries) {
      expect(upsetOf(seed, group, { ...place, eventId: 'another' } as LogRow)).toEqual(upsetOf(seed, group, place));
    }
  });

  it.each<[string, (n: number) => [number, string, LogRow]]>([
    ['seed', (n) => [n, 'g', row('k', 1)]],
    ['group', (n) => [1, `g${n}`, row('k', 1)]],
    ['key', (n) => [1, 'g', row(`k${n}`, 1)]],
    ['sequence', (n) => [1, 'g', row('k', n)]],
    ['try', (n) => [1, 'g', row('k', 1, n)]],
  ])('differs with the %s', (_, at) => {
    const decided = Array.from({ length: 200 }, (__, n) => JSON.stringify(upsetOf(...at(n))));
    expect(new Set(decided).size).toBeGreaterThan(50);
  });

  it('holds to its bounds, and does each kind of thing often', () => {
    const upsets = tries.map(({ seed, group, place }) => upsetOf(seed, group, place));
    expect(Math.max(...upsets.map(({ delayMs }) => delayMs))).toBeLessThanOrEqual(MAX_DELAY_MS);
    expect(Math.max(...upsets.map(({ repeatAfterMs }) => repeatAfterMs))).toBeLessThanOrEqual(20);
    const share = (test: (upset: (typeof upsets)[number]) => boolean): number =>
      upsets.filter(test).length / upsets.length;
    expect(share(({ delayMs }) => delayMs > 50)).toBeGreaterThan(0.05);
    for (const repeat of ['none', 'again', 'meanwhile', 'from_before'] as const)
      expect(share((upset) => upset.repeat === repeat)).toBeGreaterThan(0.08);
  });
});

/** Longer than the longest gap before a repeat. */
const workOf = (ms: number): Promise<void> => new WakeSignal().wait(ms);

describe('a disturbed try', () => {
  const seed = 11;

  async function handOvers(
    sequence: number,
    before: LogRow | null,
    outcomes: DeliveryOutcome[] = [],
  ): Promise<{ given: string[]; most: number; outcome: DeliveryOutcome }> {
    const disturbance = new SeededDisturbance(seed);
    if (before !== null) await disturbance.around(before, 'g', async () => handled);
    const given: string[] = [];
    let under = 0;
    let most = 0;
    const outcome = await disturbance.around(row('k', sequence), 'g', async ({ eventId }) => {
      given.push(eventId);
      under += 1;
      most = Math.max(most, under);
      await workOf(30);
      under -= 1;
      return outcomes.shift() ?? handled;
    });
    return { given, most, outcome };
  }

  it('hands over again after the first has ended', async () => {
    const n = sequenceWith(seed, 'again');
    expect(await handOvers(n, null)).toEqual({ given: [`k-${n}`, `k-${n}`], most: 1, outcome: handled });
  });

  it('hands over again while the first is under way', async () => {
    const n = sequenceWith(seed, 'meanwhile');
    expect(await handOvers(n, null)).toEqual({ given: [`k-${n}`, `k-${n}`], most: 2, outcome: handled });
  });

  it('goes back by one event of the same key, as a crash would', async () => {
    const n = sequenceWith(seed, 'from_before', 2);
    expect(await handOvers(n, row('k', n - 1))).toEqual({
      given: [`k-${n}`, `k-${n - 1}`, `k-${n}`],
      most: 1,
      outcome: handled,
    });
    expect((await handOvers(n, row('other', n - 1))).given).toEqual([`k-${n}`, `k-${n}`]);
  });

  it('repeats nothing that was not handled', async () => {
    const failed: DeliveryOutcome = { kind: 'failed', detail: 'no' };
    const n = sequenceWith(seed, 'again');
    expect(await handOvers(n, null, [failed])).toEqual({ given: [`k-${n}`], most: 1, outcome: failed });
  });

  it('fails if the repeat fails: a handler must tolerate repeats', async () => {
    const failed: DeliveryOutcome = { kind: 'failed', detail: 'seen before' };
    for (const repeat of ['again', 'meanwhile'] as const) {
      expect((await handOvers(sequenceWith(seed, repeat), null, [handled, failed])).outcome).toEqual(failed);
    }
  });
});
