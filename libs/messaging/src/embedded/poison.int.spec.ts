import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';

import { DeadLetterStore, type DeadLetter } from '../dead-letters/dead-letters.js';
import { PermanentEventError } from '../delivery/subscription.js';
import { MAX_ENVELOPE_BYTES } from '../envelope.js';
import { bucketOf } from '../outbox/buckets.js';
import { TestServer, until } from '../postgres.spec-support.js';
import { EventBusFixture, append, event, listening, numberOf } from '../event-bus.spec-support.js';

const KEYS = 400;
const TRIES = 5;
const RETRY = { tries: TRIES, firstDelayMs: 100, maxDelayMs: 400 };

let server: TestServer;
let fixture: EventBusFixture;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
afterEach(() => fixture.stop());
afterAll(() => server.stop(), 60_000);

class Journal {
  public readonly seen: string[] = [];
  public readonly tries = new Map<string, number>();

  public note(envelope: Envelope): number {
    const name = `${envelope.key}.${numberOf(envelope)}`;
    const tries = (this.tries.get(name) ?? 0) + 1;
    this.tries.set(name, tries);
    return tries;
  }

  public done(envelope: Envelope): void {
    this.seen.push(`${envelope.key}.${numberOf(envelope)}`);
  }
}

async function deadLetters(): Promise<
  { reason: string; detail: string; event_id: string; tries: number; envelope: string | null }[]
> {
  return fixture.taker.query(
    "select reason, detail, event_id, tries, envelope from dead_letters where consumer_group = 'taker'",
  );
}

describe('poison in one of four groups', () => {
  it('delays neither other groups nor other keys, is tried a limited number of times, stored, and logged', async () => {
    fixture = await EventBusFixture.fresh(server);
    const { log, said } = listening();
    const journals = { poisoned: new Journal(), hung: new Journal(), down: new Journal(), sound: new Journal() };
    const bad = event('bad', 1);
    const others = Array.from({ length: KEYS }, (_, k) => event(`k${k}`, 1));
    await fixture.tell(bad, event('bad', 2), ...others);
    let lastTryAfter = -1;
    let releaseClaim: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (releaseClaim = resolve));
    await fixture.eventBus(
      [
        {
          group: 'poisoned',
          handle: async (envelope) => {
            const journal = journals.poisoned;
            const tries = journal.note(envelope);
            if (envelope.id === bad.id) {
              if (tries === TRIES) lastTryAfter = journal.seen.length;
              throw new Error('a bug');
            }
            journal.done(envelope);
          },
        },
        { group: 'hung', handle: async (envelope) => (journals.hung.note(envelope), gate) },
        {
          group: 'down',
          handle: async (envelope) => (
            journals.down.note(envelope),
            Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
          ),
        },
        { group: 'sound', handle: async (envelope) => journals.sound.done(envelope) },
      ],
      { retry: RETRY, log },
    );

    await until(() => journals.sound.seen.length === KEYS + 2);
    // The sound group is done while the poison has tries left.
    expect(journals.poisoned.tries.get('bad.1') ?? 0).toBeLessThan(TRIES);
    expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([]);

    await until(() => journals.poisoned.seen.length === KEYS + 1);
    // All other keys before the last try; later events of its key waited.
    expect(lastTryAfter).toBe(KEYS);
    expect(journals.poisoned.seen.at(-1)).toBe('bad.2');
    expect(journals.poisoned.tries.get('bad.1')).toBe(TRIES);
    expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({
        group: 'poisoned',
        key: 'bad',
        eventId: bad.id,
        reason: 'tries_exhausted',
        detail: 'Error: a bug',
        tries: TRIES,
      }),
    ]);
    expect(said.filter(({ facts }) => facts['code'] === 'dead_letter')).toEqual([
      expect.objectContaining({
        level: 'error',
        facts: expect.objectContaining({ group: 'poisoned', eventId: bad.id, tries: TRIES }),
      }),
    ]);
    releaseClaim();
  }, 30_000);

  it('delays only its own key, with any number of later events in its bucket', async () => {
    fixture = await EventBusFixture.fresh(server);
    const seen: string[] = [];
    const bucket = bucketOf('bad');
    // More rows of its bucket than may wait (128).
    const keys = Array.from({ length: 20_000 }, (_, k) => `k${k}`)
      .filter((key) => bucketOf(key) === bucket)
      .slice(0, 1_000);
    await fixture.tell(event('bad', 1), ...keys.map((key) => event(key, 1)), event('bad', 2));
    let poisonTries = 0;
    await fixture.eventBus(
      [
        {
          handle: async ({ key, sequence }) => {
            if (key !== 'bad' || sequence === 2) return void seen.push(key);
            poisonTries += 1;
            // Fails for good only after all others.
            throw Object.assign(
              new Error(seen.length === keys.length ? 'a bug' : 'not yet'),
              seen.length === keys.length ? {} : { code: '57014' },
            );
          },
        },
      ],
      { retry: { tries: 1, firstDelayMs: 10, maxDelayMs: 10 } },
    );
    await until(() => seen.length === keys.length + 1);
    expect(seen.indexOf('bad')).toBe(keys.length);
    expect(poisonTries).toBeGreaterThan(1);
    expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ key: 'bad', reason: 'tries_exhausted', detail: 'Error: a bug' }),
    ]);
  }, 30_000);
});

describe('a poison event', () => {
  it('becomes a dead letter with its reason, and only its own key waited', async () => {
    fixture = await EventBusFixture.fresh(server);
    const seen: string[] = [];
    const events = [
      event('poison', 1),
      event('poison', 2),
      ...Array.from({ length: 50 }, (_, n) => event(`k${n}`, n + 3)),
    ];
    await append(fixture.maker, events);
    const poison = { tries: 0, seenBefore: 0 };
    await fixture.eventBus(
      [
        {
          handle: async (envelope) => {
            if (numberOf(envelope) === 1) {
              poison.tries += 1;
              poison.seenBefore = seen.length;
              throw new Error('a bug');
            }
            seen.push(envelope.key);
          },
        },
      ],
      { retry: { tries: 3, firstDelayMs: 100, maxDelayMs: 400 } },
    );
    await until(() => seen.length === 51);
    expect(poison).toEqual({ tries: 3, seenBefore: 50 });
    expect(seen.at(-1)).toBe('poison');
    expect(await deadLetters()).toEqual([
      {
        reason: 'tries_exhausted',
        detail: 'Error: a bug',
        event_id: events[0]!.id,
        tries: 3,
        envelope: JSON.stringify(events[0]),
      },
    ]);
  });

  it('of one group does not affect another', async () => {
    fixture = await EventBusFixture.fresh(server);
    const good: number[] = [];
    let hung = 0;
    let releaseClaim: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      releaseClaim = resolve;
    });
    await append(
      fixture.maker,
      Array.from({ length: 300 }, (_, n) => event(`k${n}`, n + 1)),
    );
    await fixture.eventBus([
      {
        group: 'other',
        handle: async () => {
          hung += 1;
          await gate;
        },
      },
      { handle: async (envelope) => void good.push(numberOf(envelope)) },
    ]);
    await until(() => good.length === 300);
    expect(hung).toBeLessThan(300);
    releaseClaim();
  });

  it('that no handler may ever see is kept at once: refused, malformed, too big', async () => {
    fixture = await EventBusFixture.fresh(server);
    const seen: number[] = [];
    const refused = event('a', 1);
    const malformed = { ...event('a', 2), data: { n: 'two' } } as unknown as Envelope;
    const tooBig = { ...event('a', 3), data: { n: 3, pad: 'x'.repeat(MAX_ENVELOPE_BYTES) } } as unknown as Envelope;
    await append(fixture.maker, [refused, malformed, tooBig, event('a', 4)]);
    await fixture.eventBus([
      {
        handle: async (envelope) => {
          if (numberOf(envelope) === 1) throw new PermanentEventError('never');
          seen.push(numberOf(envelope));
        },
      },
    ]);
    await until(() => seen.length === 1);
    expect(seen).toEqual([4]);
    const kept = await deadLetters();
    expect(
      new Map(kept.map((deadLetter) => [deadLetter.event_id, [deadLetter.reason, deadLetter.envelope === null]])),
    ).toEqual(
      new Map([
        [refused.id, ['refused', false]],
        [malformed.id, ['malformed', false]],
        [tooBig.id, ['too_big', true]],
      ]),
    );
  });

  it('waits until its dead letter is stored: a failing sink loses nothing', async () => {
    fixture = await EventBusFixture.fresh(server);
    const seen: number[] = [];
    class FailsOnce extends DeadLetterStore {
      private asked = 0;

      public override async record(deadLetter: DeadLetter): Promise<void> {
        this.asked += 1;
        if (this.asked === 1) throw new Error('no');
        await super.record(deadLetter);
      }
    }
    await append(fixture.maker, [event('a', 1), event('a', 2)]);
    const handle = async (envelope: Envelope): Promise<void> => {
      if (numberOf(envelope) === 1) throw new PermanentEventError('never');
      seen.push(numberOf(envelope));
    };
    await fixture.eventBus([{ deadLetters: new FailsOnce(fixture.taker), handle }]);
    await until(() => seen.length === 1);
    expect(await deadLetters()).toHaveLength(1);
  });
});
