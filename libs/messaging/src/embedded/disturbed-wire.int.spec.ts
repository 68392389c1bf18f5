import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { SeededDisturbance } from '../delivery/disturbance.js';
import { quiet, TestServer, until } from '../postgres.spec-support.js';
import { WireScene, event, numberOf } from '../wire.spec-support.js';

let server: TestServer;
let scene: WireScene;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
afterEach(() => scene.stop());
afterAll(() => server.stop(), 60_000);

describe('the test wire', () => {
  it.each([1, 2, 3])(
    'with seed %i hands over twice and late, mixes keys, and each event has its effect once, in its key’s order',
    async (seed) => {
      scene = await WireScene.fresh(server);
      const handOvers: string[] = [];
      const keep = scene.keepEffect('taker');
      const keys = Array.from({ length: 40 }, (_, k) => `k${k}`);
      const perKey = 5;
      await scene.tell(...keys.flatMap((key) => Array.from({ length: perKey }, (_, n) => event(key, n + 1))));
      await scene.wire(
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
      await until(async () => (await scene.effects()).length === keys.length * perKey);
      await scene.stop();
      const effects = await scene.effects();
      for (const key of keys) {
        expect(effects.filter((effect) => effect.key === key).map(({ n }) => n)).toEqual(
          Array.from({ length: perKey }, (_, n) => n + 1),
        );
      }
      // It did disturb: many came more than once, and not in the order of the log.
      expect(handOvers.length).toBeGreaterThan(keys.length * perKey * 1.2);
      const firsts = handOvers.filter((name) => name.endsWith('.1'));
      expect([...new Set(firsts)]).not.toEqual(keys.map((key) => `${key}.1`));
      expect(await scene.letters.list({ limit: 10 })).toEqual([]);
    },
    30_000,
  );

  it('finds out a handler that bears no repeating', async () => {
    scene = await WireScene.fresh(server);
    const count = 40;
    await scene.tell(...Array.from({ length: count }, (_, n) => event(`k${n}`, 1)));
    const seen = new Set<string>();
    await scene.wire(
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
    await until(async () => (await scene.letters.list({ limit: 200 })).length > 5);
    expect((await scene.letters.list({ limit: 1 }))[0]).toMatchObject({
      reason: 'tries_exhausted',
      detail: 'Error: seen before',
    });
  });
});
