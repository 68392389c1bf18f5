import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { backlogOf } from './outbox-backlog.js';
import { TestServer, until } from './postgres.spec-support.js';
import { WireScene, catalogue, clock, event, listening, type Said } from './wire.spec-support.js';

let server: TestServer;
let scene: WireScene;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
beforeEach(async () => {
  scene = await WireScene.fresh(server);
});
afterEach(() => scene.stop());
afterAll(() => server.stop(), 60_000);

const alarms = (said: readonly Said[]): readonly Said[] => said.filter(({ facts }) => facts['code'] === 'outbox_held_back');
const backlog = (): ReturnType<typeof backlogOf> => backlogOf(scene.maker, 'maker', catalogue);

describe('an open transaction that holds back the events', () => {
  it('is an alarm, once, for as long as it lasts, and is over when it ends', async () => {
    const { log, said } = listening();
    let seen = 0;
    await scene.wire([{ handle: async () => void (seen += 1) }], { log, heldBackAfterMs: 100 });
    const holdOn = async (): Promise<void> => {
      // Of another schema, and nothing to do with events.
      await scene.taker.inTransaction(async (tx) => {
        await tx.query("insert into effects values (gen_random_uuid(), 'forgotten', 1)");
        const before = seen;
        const told = alarms(said).length;
        await scene.tell(event('a', 1));
        clock.advance(60_000);
        await until(() => alarms(said).length === told + 1);
        expect(seen).toBe(before);
        expect(await backlog()).toEqual([
          { group: 'other', oldestAt: expect.any(Date), isHeldBack: expect.any(Boolean) },
          { group: 'taker', oldestAt: new Date(clock.now().getTime() - 60_000), isHeldBack: true },
        ]);
        // Some looks later it has not been told again.
        await tx.query('select pg_sleep(0.3)');
        expect(alarms(said)).toHaveLength(told + 1);
      });
      await until(() => said.at(-1)?.text === 'the outbox is read up to now again');
    };
    await holdOn();
    expect(alarms(said)[0]).toMatchObject({ level: 'error', facts: { group: 'taker', age_ms: 60_000, open_transaction: true } });
    await holdOn();
    expect(seen).toBe(2);
  }, 30_000);
});

describe('how far a group is behind', () => {
  it('is the age of what it has not handled, whoever asks and whether it runs or not', async () => {
    const at = clock.now();
    await scene.tell(event('a', 1));
    expect(await backlog()).toEqual([
      { group: 'other', oldestAt: at, isHeldBack: false },
      { group: 'taker', oldestAt: at, isHeldBack: false },
    ]);
    let fails = true;
    await scene.wire([
      {
        handle: async () => {
          if (fails) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        },
      },
    ]);
    expect((await backlog()).find(({ group }) => group === 'taker')?.oldestAt).toEqual(at);
    fails = false;
    await until(async () => (await backlog()).find(({ group }) => group === 'taker')?.oldestAt === null);
  });

  it('is an alarm too where nothing holds it back but the group does not get through', async () => {
    const { log, said } = listening();
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    await scene.wire([{ handle: () => gate }], { log, heldBackAfterMs: 100 });
    await scene.tell(...Array.from({ length: 200 }, (_, n) => event('a', n + 1)));
    clock.advance(60_000);
    await until(() => alarms(said).length === 1);
    expect(alarms(said)[0]).toMatchObject({ facts: { open_transaction: false } });
    letGo();
  });
});
