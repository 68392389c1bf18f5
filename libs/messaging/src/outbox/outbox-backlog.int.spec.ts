import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { backlogOf } from './outbox-backlog.js';
import { TestServer, until } from '../postgres.spec-support.js';
import { ProducerLog, relayCursorsName } from './producer-log.js';
import { EventBusFixture, catalogue, clock, event, listening, type Said } from '../event-bus.spec-support.js';

let server: TestServer;
let fixture: EventBusFixture;

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
beforeEach(async () => {
  fixture = await EventBusFixture.fresh(server);
});
afterEach(() => fixture.stop());
afterAll(() => server.stop(), 60_000);

const alarms = (said: readonly Said[]): readonly Said[] =>
  said.filter(({ facts }) => facts['code'] === 'outbox_stalled');
const backlog = (): ReturnType<typeof backlogOf> => backlogOf(fixture.maker, 'maker', catalogue);

describe('an open transaction that holds back events', () => {
  it('is an alarm, once, for as long as it lasts, and is over when it ends', async () => {
    const { log, said } = listening();
    let seen = 0;
    await fixture.eventBus([{ handle: async () => void (seen += 1) }], { log, stalledAfterMs: 100 });
    const holdOn = async (): Promise<void> => {
      // In another schema, without events.
      await fixture.taker.inTransaction(async (tx) => {
        await tx.query("insert into effects values (gen_random_uuid(), 'forgotten', 1)");
        const before = seen;
        const told = alarms(said).length;
        await fixture.tell(event('a', 1));
        clock.advance(60_000);
        await until(() => alarms(said).length === told + 1);
        expect(seen).toBe(before);
        expect(await backlog()).toEqual([
          { group: 'other', oldestAt: expect.any(Date), isStalled: expect.any(Boolean) },
          { group: 'taker', oldestAt: new Date(clock.now().getTime() - 60_000), isStalled: true },
        ]);
        // Reported once, also after more checks.
        await tx.query('select pg_sleep(0.3)');
        expect(alarms(said)).toHaveLength(told + 1);
      });
      await until(() => said.at(-1)?.text === 'the consumers of the outbox have caught up again');
      // Cursors are stored a moment later.
      await until(async () => (await backlog()).some(({ group, oldestAt }) => group === 'taker' && oldestAt === null));
    };
    await holdOn();
    expect(alarms(said)[0]).toMatchObject({
      level: 'error',
      facts: { group: 'taker', age_ms: 60_000, open_transaction: true },
    });
    await holdOn();
    expect(seen).toBe(2);
  }, 30_000);
});

describe('how far a group is behind', () => {
  it('is the age of what it has not handled, whoever asks and whether it runs or not', async () => {
    const at = clock.now();
    await fixture.tell(event('a', 1));
    expect(await backlog()).toEqual([
      { group: 'other', oldestAt: at, isStalled: false },
      { group: 'taker', oldestAt: at, isStalled: false },
    ]);
    let fails = true;
    await fixture.eventBus([
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
    let releaseClaim: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (releaseClaim = resolve));
    await fixture.eventBus([{ handle: () => gate }], { log, stalledAfterMs: 100 });
    await fixture.tell(...Array.from({ length: 200 }, (_, n) => event('a', n + 1)));
    clock.advance(60_000);
    await until(() => alarms(said).length === 1);
    expect(alarms(said)[0]).toMatchObject({ facts: { open_transaction: false } });
    releaseClaim();
  });
});

describe('how far behind is what Kafka does not have', () => {
  const relay = (): ProducerLog => new ProducerLog(fixture.maker);
  /** As a relay, at most `most` rows. */
  async function publish(clusterId = 'one', most = Infinity): Promise<void> {
    const log = relay();
    const name = relayCursorsName(clusterId, 'spec.');
    const from = (await log.cursors(name)).map((readTo, bucket) => ({ bucket, readTo }));
    const rows = (await log.read(from, ['things'])).slice(0, most);
    for (const { bucket, position } of rows) await log.store(name, [{ bucket, position }]);
  }
  const groups = async (): Promise<string[]> => (await backlog()).map(({ group }) => group);

  it('where a relay publishes and no group was ever embedded here', async () => {
    await fixture.tell(event('a', 1));
    expect(await groups()).toEqual(['other', 'taker']);
    await publish();
    expect(await backlog()).toEqual([{ group: 'kafka', oldestAt: null, isStalled: false }]);
    clock.advance(1_000);
    const at = clock.now();
    await fixture.tell(event('b', 1));
    expect(await backlog()).toEqual([{ group: 'kafka', oldestAt: at, isStalled: false }]);
  });

  it('where another cluster was published to before: of the one that is ahead, whichever that is by name', async () => {
    await fixture.tell(...Array.from({ length: 3 }, (_, n) => event('a', n + 1)));
    await publish('m');
    for (const name of ['a', 'z']) {
      // Only one of the later rows: behind the former cursors, so its backlog is not reported yet.
      await publish(name, 1);
      expect(await backlog()).toEqual([{ group: 'kafka', oldestAt: null, isStalled: false }]);
      clock.advance(1_000);
      const at = clock.now();
      await fixture.tell(event('a', 1));
      expect(await backlog()).toEqual([{ group: 'kafka', oldestAt: at, isStalled: false }]);
      await publish(name);
      expect(await backlog()).toEqual([{ group: 'kafka', oldestAt: null, isStalled: false }]);
    }
  });

  it('in a database that was embedded first, once the relay has caught up, and no longer when it is embedded again', async () => {
    const handled: string[] = [];
    const subscriptions = ['taker', 'other'].map((group) => ({
      group,
      handle: async ({ key }: { key: string }) => void handled.push(`${group} ${key}`),
    }));
    const isRead = async (): Promise<boolean> => (await backlog()).every(({ oldestAt }) => oldestAt === null);
    const first = await fixture.eventBus(subscriptions);
    await fixture.tell(event('a', 1));
    await until(async () => handled.length === 2 && (await isRead()));
    await first.stop();
    // The relay has no cursors yet, so the groups are reported.
    await fixture.tell(event('b', 1));
    expect((await backlog()).map(({ group, oldestAt }) => [group, oldestAt !== null])).toEqual([
      ['other', true],
      ['taker', true],
    ]);
    await publish();
    expect(await backlog()).toEqual([{ group: 'kafka', oldestAt: null, isStalled: false }]);
    await fixture.eventBus(subscriptions);
    await fixture.tell(event('c', 1));
    await until(async () => handled.length === 6 && (await groups()).length === 2 && (await isRead()));
  });
});
