import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { SeededDisturbance } from '../delivery/disturbance.js';
import { quiet, TestServer, until } from '../postgres.spec-support.js';
import { EventBusFixture, event, numberOf } from '../event-bus.spec-support.js';

let server: TestServer;
let fixture: EventBusFixture;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
afterEach(() => fixture.stop());
afterAll(() => server.stop(), 60_000);

describe('the test event bus', () => {
  it.each([1, 2, 3])(
    'with seed %i hands over twice and late, mixes keys, and each event has its effect once, in its key’s order',
    async (seed) => {
      fixture = await EventBusFixture.fresh(server);
      const handOvers: string[] = [];
      const keep = fixture.keepEffect('taker');
      const keys = Array.from({ length: 40 }, (_, k) => `k${k}`);
      const perKey = 5;
      await fixture.tell(...keys.flatMap((key) => Array.from({ length: perKey }, (_, n) => event(key, n + 1))));
      await fixture.eventBus(
        [
          {
            handle: async (envelope) => {
              handOvers.push(`${envelope.key}.${numberOf(envelope)}`);
              await keep(envelope);
            },
          },
        ],
        { disturbance: new SeededDisturbance(seed), log: quiet },
      );
      await until(async () => (await fixture.effects()).length === keys.length * perKey);
      await fixture.stop();
      const effects = await fixture.effects();
      for (const key of keys) {
        expect(effects.filter((effect) => effect.key === key).map(({ n }) => n)).toEqual(
          Array.from({ length: perKey }, (_, n) => n + 1),
        );
      }
      // Proof of the disturbance: repeats, not in log order.
      expect(handOvers.length).toBeGreaterThan(keys.length * perKey * 1.2);
      const firsts = handOvers.filter((name) => name.endsWith('.1'));
      expect([...new Set(firsts)]).not.toEqual(keys.map((key) => `${key}.1`));
      expect(await fixture.deadLetters.list({ limit: 10 })).toEqual([]);
    },
    30_000,
  );

  it('detects a handler that does not tolerate repeats', async () => {
    fixture = await EventBusFixture.fresh(server);
    const count = 40;
    await fixture.tell(...Array.from({ length: count }, (_, n) => event(`k${n}`, 1)));
    const seen = new Set<string>();
    await fixture.eventBus(
      [
        {
          handle: async (envelope) => {
            if (seen.has(envelope.id)) throw new Error('seen before');
            seen.add(envelope.id);
          },
        },
      ],
      { disturbance: new SeededDisturbance(5) },
    );
    await until(async () => (await fixture.deadLetters.list({ limit: 200 })).length > 5);
    expect((await fixture.deadLetters.list({ limit: 1 }))[0]).toMatchObject({
      reason: 'tries_exhausted',
      detail: 'Error: seen before',
    });
  });
});
