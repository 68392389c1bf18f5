import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';

import { bucketOf } from '../outbox/buckets.js';
import { TestServer, until } from '../postgres.spec-support.js';
import { EventBusFixture, clock, event, listening, numberOf } from '../event-bus.spec-support.js';
import { PermanentEventError } from '../delivery/subscription.js';

let server: TestServer;
let fixture: EventBusFixture;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
afterEach(() => fixture.stop());
afterAll(() => server.stop(), 60_000);

/** Of one bucket. */
const [A, B, C] = Array.from({ length: 1_000 }, (_, n) => `k${n}`).filter((key) => bucketOf(key) === 0) as [
  string,
  string,
  string,
];

describe('an event that became a dead letter behind one that waits', () => {
  it('is handled only by a replay, also after a restart, and the next events of its key come once', async () => {
    fixture = await EventBusFixture.fresh(server);
    const [waiting, bad] = [event(A, 1), event(B, 1)];
    let isRepaired = false;
    const handed: string[] = [];
    const handle = async (envelope: Envelope): Promise<void> => {
      handed.push(`${envelope.key}.${numberOf(envelope)}`);
      if (!isRepaired && envelope.id === waiting.id) throw Object.assign(new Error('locked'), { code: '55P03' });
      if (!isRepaired && envelope.id === bad.id) throw new PermanentEventError('not yet');
      await fixture.keepEffect('taker')(envelope);
    };
    const first = await fixture.eventBus([{ handle }]);
    await fixture.tell(waiting, bad, event(B, 2));
    await until(async () => (await fixture.effectCount()) === 1);
    expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ eventId: bad.id, reason: 'refused' }),
    ]);
    await first.stop();

    isRepaired = true;
    handed.length = 0;
    const { log, said } = listening();
    await fixture.eventBus([{ handle }], { log });
    await until(async () => (await fixture.effectCount()) === 2);
    await fixture.tell(event(B, 3));
    await until(async () => (await fixture.effectCount()) === 3);
    expect(handed).not.toContain(`${B}.1`);
    expect((await fixture.effects()).map(({ key, n }) => `${key}.${n}`)).toEqual([`${B}.2`, `${A}.1`, `${B}.3`]);
    expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ eventId: bad.id, replayedAt: null, tries: 1 }),
    ]);
    expect(said).toContainEqual(
      expect.objectContaining({
        level: 'error',
        facts: expect.objectContaining({ code: 'dead_letter', eventId: bad.id }),
      }),
    );

    await fixture.deadLetters.requestReplay('taker', bad.id, 'amina', clock.now());
    await until(async () => (await fixture.deadLetters.find('taker', bad.id))?.replayedAt !== null);
    expect(handed.filter((name) => name === `${B}.1`)).toHaveLength(1);
    expect(await fixture.effectCount()).toBe(4);
  }, 30_000);

  it('is skipped if the process died between its dead letter and its done mark', async () => {
    fixture = await EventBusFixture.fresh(server);
    const bad = event(A, 1);
    const deadLetter = {
      group: 'taker',
      topic: 'things',
      key: A,
      eventId: bad.id,
      reason: 'tries_exhausted',
      detail: 'Error: a bug',
      tries: 3,
      envelope: JSON.stringify(bad),
      at: clock.now(),
    } as const;
    // Neither is an open dead letter of this group.
    const others = event(B, 1);
    const replayed = event(C, 1);
    await fixture.deadLetters.record(deadLetter);
    await fixture.deadLetters.record({ ...deadLetter, group: 'other', eventId: others.id });
    await fixture.deadLetters.record({ ...deadLetter, eventId: replayed.id });
    await fixture.deadLetters.requestReplay('taker', replayed.id, 'amina', clock.now());
    await fixture.deadLetters.replayed('taker', replayed.id, clock.now());
    await fixture.tell(bad, event(A, 2), others, replayed);
    await fixture.eventBus([{ handle: fixture.keepEffect('taker') }]);
    await until(async () => (await fixture.effectCount()) === 3);
    expect(new Set((await fixture.effects()).map(({ key, n }) => `${key}.${n}`))).toEqual(
      new Set([`${A}.2`, `${B}.1`, `${C}.1`]),
    );
    await until(
      async () =>
        (
          await fixture.maker.query(
            "select 1 from outbox_cursors where consumer_group = 'taker' and bucket = 0 and id >= 4",
          )
        ).length === 1,
    );
  }, 30_000);
});
