import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';

import { MOST_FOREIGN } from '../dead-letters/dead-letters.js';
import { append, clock, event, EventBusFixture, listening } from '../event-bus.spec-support.js';
import { TestServer, until } from '../postgres.spec-support.js';
import { keyNamed, signedWith, TAKERS, takerKnowing } from './authors.spec-support.js';
import type { EventAuthors } from './event-authors.js';

const WEEK_MS = 7 * 24 * 3_600_000;
const NEXT = keyNamed('e2', 9);

let server: TestServer;
let fixture: EventBusFixture;
let isBroken: boolean;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
beforeEach(async () => {
  fixture = await EventBusFixture.fresh(server);
  isBroken = false;
});
afterEach(() => fixture.stop());
afterAll(() => server.stop(), 60_000);

async function started(authors: EventAuthors, log = listening().log): Promise<void> {
  const handle = async (envelope: Envelope): Promise<void> => {
    if (isBroken) throw new Error('a bug');
    await fixture.keepEffect('taker')(envelope);
  };
  await fixture.eventBus([{ handle, authors }], { log });
}

const unsigned = (): null => null;
const letters = () => fixture.deadLetters.list({ limit: 200, withReplayed: true });

async function wrote(macs: (topic: string, text: string) => string | null, ...events: Envelope[]): Promise<void> {
  await append(fixture.maker, events, 'things', macs);
  fixture.signal.notify();
}

async function replayed(eventId: string): Promise<void> {
  expect(await fixture.deadLetters.requestReplay('taker', eventId, 'amina', clock.now())).toEqual({
    kind: 'requested',
  });
  await until(async () => {
    const letter = await fixture.deadLetters.find('taker', eventId);
    return letter?.replayRequestedAt === null || letter?.replayedAt !== null;
  });
}

describe('an event that its reader’s key does not vouch for', () => {
  it('is never handled, is kept under an id of its own, and the true event of the id that it names still is', async () => {
    const { log, said } = listening();
    const truth = event('a', 1);
    await started(takerKnowing(TAKERS), log);
    await wrote(unsigned, { ...truth, data: { n: 99 } } as unknown as Envelope);
    await until(async () => (await letters()).length === 1);
    const [letter] = await letters();
    expect(letter).toMatchObject({ reason: 'foreign', tries: 0, detail: 'It has no MAC for taker' });
    expect(letter?.eventId).not.toBe(truth.id);
    await wrote(signedWith([TAKERS]), truth);
    await until(async () => (await fixture.effectCount()) === 1);
    expect(await fixture.effects()).toEqual([{ event_id: truth.id, key: 'a', n: 1 }]);
    expect(said.map(({ facts }) => facts['code']).filter(Boolean)).toEqual(['event_foreign']);
  });

  it('is kept a hundred times at most, and holds up nobody', async () => {
    await started(takerKnowing(TAKERS));
    const strangers = Array.from({ length: MOST_FOREIGN + 150 }, (_, n) => event(`k${n % 5}`, n + 1));
    await wrote(unsigned, ...strangers);
    await wrote(signedWith([TAKERS]), event('k1', 1_000));
    await until(async () => (await fixture.effectCount()) === 1);
    const kept = (await letters()).length;
    // Those that ran beside the hundredth may have passed.
    expect(kept).toBeGreaterThanOrEqual(MOST_FOREIGN);
    expect(kept).toBeLessThan(MOST_FOREIGN + 40);
  });

  it('is not handled by a replay either, as long as no key vouches for it', async () => {
    await started(takerKnowing(TAKERS));
    await wrote(unsigned, event('a', 1));
    await until(async () => (await letters()).length === 1);
    const [letter] = await letters();
    await replayed(letter!.eventId);
    expect(await fixture.deadLetters.find('taker', letter!.eventId)).toMatchObject({
      reason: 'foreign',
      replayedAt: null,
    });
    expect(await fixture.effectCount()).toBe(0);
  });
});

describe('keys rotated', () => {
  it('while a week-old dead letter waits: its replay works', async () => {
    await started(takerKnowing(TAKERS));
    isBroken = true;
    const old = event('a', 1);
    await wrote(signedWith([TAKERS]), old);
    await until(async () => (await letters()).length === 1);
    await fixture.stop();

    clock.advance(WEEK_MS);
    isBroken = false;
    await started(takerKnowing(NEXT, TAKERS));
    await wrote(signedWith([NEXT, TAKERS]), event('a', 2));
    await until(async () => (await fixture.effectCount()) === 1);
    await replayed(old.id);
    expect((await fixture.effects()).map(({ n }) => n)).toEqual([2, 1]);
    expect((await letters()).map(({ replayedAt }) => replayedAt)).toEqual([clock.now()]);
  });

  it('too early by the producer: what came meanwhile is kept, and its replay works once the reader has the key', async () => {
    await started(takerKnowing(TAKERS));
    const early = event('a', 1);
    await wrote(signedWith([NEXT, TAKERS]), early);
    await until(async () => (await letters()).length === 1);
    await fixture.stop();
    await started(takerKnowing(NEXT, TAKERS));
    const [letter] = await letters();
    await replayed(letter!.eventId);
    expect(await fixture.effects()).toEqual([{ event_id: early.id, key: 'a', n: 1 }]);
    // Published once more, it is known by the inbox.
    await wrote(signedWith([NEXT]), early, event('a', 2));
    await until(async () => (await fixture.effectCount()) === 2);
    expect((await fixture.effects()).map(({ n }) => n)).toEqual([1, 2]);
  });

  it('away from the reader: a dead letter signed with the old key waits until it is back', async () => {
    await started(takerKnowing(TAKERS));
    isBroken = true;
    const old = event('a', 1);
    await wrote(signedWith([TAKERS]), old);
    await until(async () => (await letters()).length === 1);
    await fixture.stop();
    isBroken = false;
    await started(takerKnowing(NEXT));
    await replayed(old.id);
    expect(await fixture.effectCount()).toBe(0);
    expect(await fixture.deadLetters.find('taker', old.id)).toMatchObject({ reason: 'foreign', replayedAt: null });
    await fixture.stop();
    await started(takerKnowing(NEXT, TAKERS));
    await replayed(old.id);
    expect(await fixture.effectCount()).toBe(1);
  });
});
