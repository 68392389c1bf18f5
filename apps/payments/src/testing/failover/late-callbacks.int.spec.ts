import { afterEach, describe, expect, it } from '@jest/globals';
import { atDepth } from '@vuka/testing';

import { TwoProviders, type Way } from './two-providers.spec-support.js';

/**
 * A first way that goes away with payouts in its hands, and whose callbacks come when the second one has paid the
 * others. `round` throws where a transaction has two payments, or is FAILED and paid.
 */
const LOAD = atDepth({ commit: 48, whole: 240 });
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const ROUND_MS = 10 * SECOND_MS;
const LIMIT_MS = 180_000;

async function roundsUntil(isDone: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    await two.round(ROUND_MS);
    if (await isDone()) return;
  }
}

interface Story {
  readonly first: Way;
  readonly second: Way;
  /** Numbers that the first one ends as not paid, and how each payout ends. */
  readonly notPaid: Readonly<Record<string, string>>;
}
const STORIES: readonly Story[] = [
  {
    first: 'pawapay',
    second: 'paystack',
    // Our float there is empty, and the second one cannot pay it; a forged callback says paid.
    notPaid: { '0112': 'FAILED', '0312': 'FAILED' },
  },
  {
    first: 'paystack',
    second: 'pawapay',
    // Abandoned, so that the second one pays; a forged callback says paid.
    notPaid: { '0109': 'COMPLETE by pawapay', '0311': 'FAILED' },
  },
];

/** As long as signatures of now are believed: a provider that answers late on a busy machine costs rounds. */
const MOST_ROUNDS = 12;
/** Its call was cut off on its way: nobody knows before the first provider is back. */
const IN_DOUBT = 'IN_DOUBT';

let two: TwoProviders;
afterEach(() => two.stop());

describe.each(STORIES)('$first goes away with payouts in its hands', ({ first, second, notPaid }) => {
  it(
    `and what it calls back when ${second} has paid the others pays none twice, and changes no end`,
    async () => {
      two = await TwoProviders.start(first, second);
      two.letThemCallBack();
      // One callback at once: its public key is known from now on.
      const told = await two.acceptHonest('GHS', 1);
      await two.rounds(2, SECOND_MS);
      expect(await two.ends(told)).toEqual([`COMPLETE by ${first}`]);
      expect(await two.callbackOutcomes()).toEqual({ recorded: 1 });

      two.callbacks.hold();
      const ended = await two.accept('GHS', Object.keys(notPaid));
      await two.rounds(12, ROUND_MS);
      expect(await two.ends(ended)).toEqual(Object.values(notPaid));

      const load = await two.acceptHonest('GHS', LOAD);
      two.lines[first].diesAfter = Math.floor(LOAD / 3);
      const isHeldBy = (end: string): boolean => end.endsWith(` by ${first}`);
      const isKnown = (end: string): boolean => [`COMPLETE by ${second}`, IN_DOUBT].includes(end) || isHeldBy(end);
      await roundsUntil(async () => (await two.ends(load)).every(isKnown));
      const meanwhile = await two.ends(load);
      const inItsHands = meanwhile.filter(isHeldBy);
      expect(inItsHands.length).toBeGreaterThanOrEqual(LOAD / 3);
      expect(inItsHands).not.toContain(`COMPLETE by ${first}`);
      expect(meanwhile.filter((end) => !isKnown(end))).toEqual([]);

      // It is still away. What it has signed as paid is recorded.
      expect(await two.callbacks.letIn(two.live)).toBeGreaterThanOrEqual(inItsHands.length);
      await two.rounds(4, SECOND_MS);
      const afterwards = meanwhile.map((end) => (isHeldBy(end) ? `COMPLETE by ${first}` : end));
      expect(await two.ends(load)).toEqual(afterwards);
      expect((await two.callbackOutcomes())['recorded']).toBe(inItsHands.length + 1);

      // All of them once more, and it is back.
      await two.callbacks.letIn(two.live);
      await two.lines[first].start();
      await two.rounds(8, 5 * MINUTE_MS);
      const last = await two.ends(load);
      expect(last.filter((_, at) => afterwards[at] !== IN_DOUBT)).toEqual(afterwards.filter((end) => end !== IN_DOUBT));
      expect(last.filter((end) => !end.startsWith('COMPLETE by '))).toEqual([]);
      expect(await two.ends(ended)).toEqual(Object.values(notPaid));
      expect((await two.callbackOutcomes())['open'] ?? 0).toBe(0);
      const { booked, posted } = await two.sums('GHS');
      expect(posted).toEqual(booked);
    },
    LIMIT_MS,
  );
});
