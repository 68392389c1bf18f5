import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { describeWithKafka } from '@vuka/local-servers';

import { TestServer, until } from '../../postgres.spec-support.js';
import { event, listening, numberOf } from '../../event-bus.spec-support.js';
import { PermanentEventError } from '../../delivery/subscription.js';
import type { KafkaGroup } from './kafka-group.js';
import { messageOf } from '../kafka-message.spec-support.js';
import { KafkaFixture } from '../kafka-fixture.spec-support.js';
import { sharedBroker, type SpecBroker } from '../kafka.spec-support.js';

let broker: SpecBroker;
let server: TestServer;
let fixture: KafkaFixture;

beforeAll(async () => {
  [broker, server] = await Promise.all([sharedBroker(), TestServer.start()]);
}, 120_000);
afterEach(() => fixture.stop(), 60_000);
afterAll(() => Promise.all([broker.stop(), server.stop()]), 60_000);

const waiting = event('a', 1);
const bad = event('b', 1);

/** Handlers before and after a repair; `handed`: the events each got. */
function handlers(): { before: { handle: Handle; handed: string[] }; after: { handle: Handle; handed: string[] } } {
  const of = (isRepaired: boolean): { handle: Handle; handed: string[] } => {
    const handed: string[] = [];
    const handle = async (envelope: Envelope): Promise<void> => {
      handed.push(`${envelope.key}.${numberOf(envelope)}`);
      if (!isRepaired && envelope.id === waiting.id) throw Object.assign(new Error('locked'), { code: '55P03' });
      if (!isRepaired && envelope.id === bad.id) throw new PermanentEventError('not yet');
      await fixture.databases.keepEffect('taker')(envelope);
    };
    return { handle, handed };
  };
  return { before: of(false), after: of(true) };
}
type Handle = (envelope: Envelope) => Promise<void>;

const effects = async (): Promise<string[]> => (await fixture.databases.effects()).map(({ key, n }) => `${key}.${n}`);

describeWithKafka(describe, 'mock')('an event that became a dead letter behind one that waits on Kafka', () => {
  it('is not handed over again after a restart, nor where its topic has it twice, and those after it in its key are', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    const { before, after } = handlers();
    await fixture.tell(waiting, bad, event('b', 2));
    const first = fixture.member({ handle: before.handle });
    await until(async () => (await effects()).length === 1);
    expect(await fixture.databases.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ eventId: bad.id, reason: 'refused' }),
    ]);
    await first.stop();
    expect(await fixture.committed()).toBe(0);

    const { log, said } = listening();
    fixture.member({ handle: after.handle }, { log });
    await until(async () => (await fixture.committed()) === 3);
    // As a relay that died before it stored its cursor.
    await fixture.tell(bad, event('b', 3));
    await until(async () => (await fixture.committed()) === 5);
    expect(after.handed).not.toContain('b.1');
    expect(await effects()).toEqual(['b.2', 'a.1', 'b.3']);
    expect(await fixture.databases.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ eventId: bad.id, replayedAt: null, tries: 1 }),
    ]);
    expect(said.filter(({ facts }) => facts['code'] === 'dead_letter')).toHaveLength(2);
  }, 60_000);

  it('is not handed over by a member that was there all the time and had no dead letter to ask after', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 2);
    const { before, after } = handlers();
    const heir = fixture.member({ handle: after.handle });
    await until(() => heir.ready() === true, 30_000);
    const taken = fixture.member({ handle: before.handle });
    await until(() => taken.ready() === true && heir.isFirstMember !== taken.isFirstMember, 30_000);
    const tell = (member: KafkaGroup, ...events: Envelope[]): Promise<void> =>
      fixture.tellRaw(...events.map((one) => ({ ...messageOf(one), partition: member.isFirstMember ? 0 : 1 })));
    // It has checked by then, and found none.
    await tell(heir, event('z', 1));
    await until(async () => (await effects()).length === 1);
    await tell(taken, waiting, bad, event('b', 2));
    await until(async () => (await effects()).length === 2);
    await taken.stop();
    await until(async () => (await fixture.committed()) === 4, 60_000);
    expect(after.handed).not.toContain('b.1');
    expect(await effects()).toEqual(['z.1', 'b.2', 'a.1']);
    expect(await fixture.databases.deadLetters.list({ limit: 10 })).toHaveLength(1);
  }, 120_000);
});
