import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';

import { bucketOf } from '../outbox/buckets.js';
import { TestServer, until } from '../postgres.spec-support.js';
import { WireScene, event, listening, numberOf } from '../wire.spec-support.js';

const KEYS = 400;
const TRIES = 5;
const RETRY = { tries: TRIES, firstDelayMs: 100, maxDelayMs: 400 };

let server: TestServer;
let scene: WireScene;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
afterEach(() => scene.stop());
afterAll(() => server.stop(), 60_000);

/** Each group's doings, in order. */
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

describe('poison in one of four groups', () => {
  it('stalls neither the others nor other keys of its own, is tried so often, kept, and told of', async () => {
    scene = await WireScene.fresh(server);
    const { log, said } = listening();
    const journals = { poisoned: new Journal(), hung: new Journal(), down: new Journal(), sound: new Journal() };
    const bad = event('bad', 1);
    const others = Array.from({ length: KEYS }, (_, k) => event(`k${k}`, 1));
    await scene.tell(bad, event('bad', 2), ...others);
    let lastTryAfter = -1;
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    await scene.wire(
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
    // The sound group is through while the poison has tries left and the others stand.
    expect(journals.poisoned.tries.get('bad.1') ?? 0).toBeLessThan(TRIES);
    expect(await scene.letters.list({ limit: 10 })).toEqual([]);

    await until(() => journals.poisoned.seen.length === KEYS + 1);
    // Every other key of the poisoned group was handled before its last try; what follows it in its key waited for it.
    expect(lastTryAfter).toBe(KEYS);
    expect(journals.poisoned.seen.at(-1)).toBe('bad.2');
    expect(journals.poisoned.tries.get('bad.1')).toBe(TRIES);
    expect(await scene.letters.list({ limit: 10 })).toEqual([
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
    letGo();
  }, 30_000);

  it('holds up its own key alone, however many of its bucket come after it', async () => {
    scene = await WireScene.fresh(server);
    const seen: string[] = [];
    const bucket = bucketOf('bad');
    // More of its bucket than may wait there at once (128 rows).
    const keys = Array.from({ length: 20_000 }, (_, k) => `k${k}`)
      .filter((key) => bucketOf(key) === bucket)
      .slice(0, 1_000);
    await scene.tell(event('bad', 1), ...keys.map((key) => event(key, 1)), event('bad', 2));
    let poisonTries = 0;
    await scene.wire(
      [
        {
          handle: async ({ key, sequence }) => {
            if (key !== 'bad' || sequence === 2) return void seen.push(key);
            poisonTries += 1;
            // It may fail for good when all others were seen, and no sooner.
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
    expect(await scene.letters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ key: 'bad', reason: 'tries_exhausted', detail: 'Error: a bug' }),
    ]);
  }, 30_000);
});
