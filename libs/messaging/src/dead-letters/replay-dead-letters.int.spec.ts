import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';

import { TestServer, until } from '../postgres.spec-support.js';
import { EventBusFixture, append, clock, event, listening, numberOf } from '../event-bus.spec-support.js';
import { PermanentEventError } from '../delivery/subscription.js';

let server: TestServer;
let fixture: EventBusFixture;
/** The handler fails for these. */
let poison: Set<number>;
let handled: number[];

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
beforeEach(async () => {
  fixture = await EventBusFixture.fresh(server);
  poison = new Set();
  handled = [];
});
afterEach(() => fixture.stop());
afterAll(() => server.stop(), 60_000);

async function handle(envelope: Envelope): Promise<void> {
  if (poison.has(numberOf(envelope))) throw new Error('a bug');
  await fixture.keepEffect('taker')(envelope);
  handled.push(numberOf(envelope));
}

/** Makes dead letters in order, on a running event bus. */
async function dead(...envelopes: Envelope[]): Promise<void> {
  poison = new Set(envelopes.map(numberOf));
  for (const [index, envelope] of envelopes.entries()) {
    clock.advance(1);
    await fixture.tell(envelope);
    await until(async () => (await fixture.deadLetters.list({ limit: 200 })).length === index + 1);
  }
}

describe('a dead letter that somebody wants replayed', () => {
  it('is handled by the running event bus, once, and says so', async () => {
    const { log, said } = listening();
    await fixture.eventBus([{ handle }], { log });
    const bad = event('a', 1);
    await dead(bad);
    await fixture.tell(event('a', 2));
    await until(() => handled.length === 1);

    poison.clear();
    expect(await fixture.deadLetters.requestReplay('taker', bad.id, 'amina', clock.now())).toEqual({
      kind: 'requested',
    });
    await until(async () => (await fixture.deadLetters.find('taker', bad.id))?.replayedAt !== null);
    // Late, as the contract allows.
    expect(handled).toEqual([2, 1]);
    expect(await fixture.deadLetters.find('taker', bad.id)).toMatchObject({
      requestedBy: 'amina',
      replayRequestedAt: clock.now(),
      replayedAt: clock.now(),
      tries: 3,
    });
    expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([]);
    expect(await fixture.deadLetters.list({ limit: 10, withReplayed: true })).toHaveLength(1);
    expect(said).toContainEqual({
      level: 'info',
      facts: expect.objectContaining({ eventId: bad.id, requested_by: 'amina' }),
      text: 'dead letter was replayed',
    });

    expect(await fixture.deadLetters.requestReplay('taker', bad.id, 'amina', clock.now())).toEqual({
      kind: 'already_replayed',
      at: clock.now(),
    });
  });

  it('has its effect once where the process dies between the handler and the mark', async () => {
    class DiesBeforeTheMark extends Error {}
    const deadLetters = fixture.deadLetters;
    let marks = 0;
    const forgetful = Object.assign(Object.create(deadLetters) as typeof deadLetters, {
      replayed: async (...mark: Parameters<typeof deadLetters.replayed>): Promise<void> => {
        marks += 1;
        if (marks === 1) throw new DiesBeforeTheMark('killed');
        await deadLetters.replayed(...mark);
      },
    });
    await fixture.eventBus([{ handle, deadLetters: forgetful }]);
    const bad = event('a', 1);
    await dead(bad);
    poison.clear();
    await deadLetters.requestReplay('taker', bad.id, 'amina', clock.now());
    await until(async () => (await deadLetters.find('taker', bad.id))?.replayedAt !== null);
    expect(handled).toEqual([1, 1]);
    expect(await fixture.effects()).toEqual([{ event_id: bad.id, key: 'a', n: 1 }]);
  });

  it('fails again: it stays, with the new reason, and waits for another request', async () => {
    const { log, said } = listening();
    let error: Error = new Error('a bug');
    await fixture.eventBus([{ handle: () => Promise.reject(error) }], { log });
    const bad = event('a', 1);
    await dead(bad);
    error = new PermanentEventError('never');
    await fixture.deadLetters.requestReplay('taker', bad.id, 'amina', clock.now());
    await until(async () => (await fixture.deadLetters.find('taker', bad.id))?.tries === 4);
    expect(await fixture.deadLetters.find('taker', bad.id)).toMatchObject({
      reason: 'refused',
      detail: 'PermanentEventError: never',
      replayRequestedAt: null,
      requestedBy: null,
      replayedAt: null,
    });
    expect(said).toContainEqual(
      expect.objectContaining({
        level: 'error',
        facts: expect.objectContaining({ code: 'replay_failed', requested_by: 'amina' }),
      }),
    );
    expect(await fixture.deadLetters.requestReplay('taker', bad.id, 'amina', clock.now())).toEqual({
      kind: 'requested',
    });
    await until(async () => (await fixture.deadLetters.find('taker', bad.id))?.tries === 5);
  });

  it('waits for the end of an outage, and repeated requests count as one', async () => {
    const eventBus = await fixture.eventBus([{ handle }]);
    const bad = event('a', 1);
    await dead(bad);
    await eventBus.stop();
    // Not running: the request waits for the next start.
    expect(await fixture.deadLetters.requestReplay('taker', bad.id, 'amina', clock.now())).toEqual({
      kind: 'requested',
    });
    expect(await fixture.deadLetters.requestReplay('taker', bad.id, 'ben', clock.now())).toEqual({
      kind: 'already_requested',
      at: clock.now(),
      by: 'amina',
    });
    let asked = 0;
    await fixture.eventBus([
      {
        handle: async () => {
          asked += 1;
          if (asked < 4) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        },
      },
    ]);
    await until(async () => (await fixture.deadLetters.find('taker', bad.id))?.replayedAt !== null);
    expect(await fixture.deadLetters.find('taker', bad.id)).toMatchObject({ tries: 3, requestedBy: 'amina' });
  });

  it('comes in its key’s order where several are asked for, one hung handler or not', async () => {
    const eventBus = await fixture.eventBus([{ handle }]);
    const deadLetters = [event('a', 1), event('a', 2), event('b', 3)];
    await dead(...deadLetters);
    await eventBus.stop();
    poison.clear();
    for (const deadLetter of [...deadLetters].reverse())
      await fixture.deadLetters.requestReplay('taker', deadLetter.id, 'amina', clock.now());
    const live = event('c', 4);
    await fixture.eventBus(
      [{ handle: async (envelope) => (numberOf(envelope) === 3 ? new Promise(() => undefined) : handle(envelope)) }],
      { handlerTimeoutMs: 100 },
    );
    await fixture.tell(live);
    await until(async () => (await fixture.deadLetters.find('taker', deadLetters[2]!.id))?.tries === 4);
    expect(handled.filter((n) => n < 3)).toEqual([1, 2]);
    expect(handled).toContain(4);
    expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ eventId: deadLetters[2]!.id, detail: 'The handler has not ended after 400 ms' }),
    ]);
  });
});

describe('a dead letter that could not be read', () => {
  it('is replayed as often as it is asked for, for a newer reader may know it; of one that was too big there is nothing to replay', async () => {
    await fixture.eventBus([{ handle }]);
    const malformed = { ...event('a', 1), data: { n: 'one' } } as unknown as Envelope;
    const tooBig = { ...event('a', 2), data: { n: 2, pad: 'x'.repeat(40_000) } } as unknown as Envelope;
    await append(fixture.maker, [malformed, tooBig]);
    await until(async () => (await fixture.deadLetters.list({ limit: 10 })).length === 2);
    const ask = (id: string): Promise<unknown> => fixture.deadLetters.requestReplay('taker', id, 'amina', clock.now());
    expect(await ask(malformed.id)).toEqual({ kind: 'requested' });
    await until(async () => (await fixture.deadLetters.find('taker', malformed.id))?.replayRequestedAt === null);
    expect(await fixture.deadLetters.find('taker', malformed.id)).toMatchObject({
      reason: 'malformed',
      replayedAt: null,
    });
    expect(await ask(tooBig.id)).toEqual({ kind: 'not_replayable', why: expect.stringContaining('too large') });
    expect(await ask(event('a', 3).id)).toEqual({ kind: 'not_found' });
  });
});

describe('the list of dead letters', () => {
  it('comes in pages, oldest first, of one key where wanted, and shows no event’s text', async () => {
    await fixture.eventBus([{ handle }]);
    await dead(...Array.from({ length: 7 }, (_, n) => event(`k${n}`, n + 1)));
    const first = await fixture.deadLetters.list({ limit: 4 });
    const second = await fixture.deadLetters.list({ limit: 4, after: first.at(-1)! });
    expect([first.length, second.length]).toEqual([4, 3]);
    expect(new Set([...first, ...second].map(({ eventId }) => eventId)).size).toBe(7);
    expect(await fixture.deadLetters.list({ limit: 4, key: 'k3' })).toEqual([
      expect.objectContaining({ key: 'k3', topic: 'things', group: 'taker' }),
    ]);
    expect(first[0]).not.toHaveProperty('envelope');
  });
});
