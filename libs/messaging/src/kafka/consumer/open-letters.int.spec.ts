import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { describeWithKafka } from '@vuka/local-servers';

import { TestServer, until } from '../../postgres.spec-support.js';
import { event, listening, numberOf } from '../../wire.spec-support.js';
import { PermanentEventError } from '../../delivery/subscription.js';
import type { KafkaGroup } from './kafka-group.js';
import { messageOf } from '../kafka-message.spec-support.js';
import { KafkaScene } from '../kafka-scene.spec-support.js';
import { sharedBroker, type SpecBroker } from '../kafka.spec-support.js';

let broker: SpecBroker;
let server: TestServer;
let scene: KafkaScene;

beforeAll(async () => {
  [broker, server] = await Promise.all([sharedBroker(), TestServer.start()]);
}, 120_000);
afterEach(() => scene.stop(), 60_000);
afterAll(() => Promise.all([broker.stop(), server.stop()]), 60_000);

const waiting = event('a', 1);
const bad = event('b', 1);

/** Handlers of a process before and after what kept the two off was mended; `handed`: what each was given. */
function handlers(): { before: { handle: Handle; handed: string[] }; after: { handle: Handle; handed: string[] } } {
  const of = (isMended: boolean): { handle: Handle; handed: string[] } => {
    const handed: string[] = [];
    const handle = async (envelope: Envelope): Promise<void> => {
      handed.push(`${envelope.key}.${numberOf(envelope)}`);
      if (!isMended && envelope.id === waiting.id) throw Object.assign(new Error('locked'), { code: '55P03' });
      if (!isMended && envelope.id === bad.id) throw new PermanentEventError('not yet');
      await scene.databases.keepEffect('taker')(envelope);
    };
    return { handle, handed };
  };
  return { before: of(false), after: of(true) };
}
type Handle = (envelope: Envelope) => Promise<void>;

const effects = async (): Promise<string[]> => (await scene.databases.effects()).map(({ key, n }) => `${key}.${n}`);

describeWithKafka(describe, 'mock')('an event that became a dead letter behind one that waits on Kafka', () => {
  it('is not handed over again after a restart, nor where its topic has it twice, and those after it in its key are', async () => {
    scene = await KafkaScene.fresh(broker, server, 1);
    const { before, after } = handlers();
    await scene.tell(waiting, bad, event('b', 2));
    const first = scene.member({ handle: before.handle });
    await until(async () => (await effects()).length === 1);
    expect(await scene.databases.letters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ eventId: bad.id, reason: 'refused' }),
    ]);
    await first.stop();
    expect(await scene.committed()).toBe(0);

    const { log, said } = listening();
    scene.member({ handle: after.handle }, { log });
    await until(async () => (await scene.committed()) === 3);
    // As a relay does that died before it had noted what it brought.
    await scene.tell(bad, event('b', 3));
    await until(async () => (await scene.committed()) === 5);
    expect(after.handed).not.toContain('b.1');
    expect(await effects()).toEqual(['b.2', 'a.1', 'b.3']);
    expect(await scene.databases.letters.list({ limit: 10 })).toEqual([
      expect.objectContaining({ eventId: bad.id, replayedAt: null, tries: 1 }),
    ]);
    expect(said.filter(({ facts }) => facts['code'] === 'dead_letter')).toHaveLength(2);
  }, 60_000);

  it('is not handed over by a member that was there all the time and had no letter to ask after', async () => {
    scene = await KafkaScene.fresh(broker, server, 2);
    const { before, after } = handlers();
    const heir = scene.member({ handle: after.handle });
    await until(() => heir.ready() === true, 30_000);
    const taken = scene.member({ handle: before.handle });
    await until(() => taken.ready() === true && heir.isFirstMember !== taken.isFirstMember, 30_000);
    const tell = (member: KafkaGroup, ...events: Envelope[]): Promise<void> =>
      scene.tellRaw(...events.map((one) => ({ ...messageOf(one), partition: member.isFirstMember ? 0 : 1 })));
    // It has asked by then, and there is none.
    await tell(heir, event('z', 1));
    await until(async () => (await effects()).length === 1);
    await tell(taken, waiting, bad, event('b', 2));
    await until(async () => (await effects()).length === 2);
    await taken.stop();
    await until(async () => (await scene.committed()) === 4, 60_000);
    expect(after.handed).not.toContain('b.1');
    expect(await effects()).toEqual(['z.1', 'b.2', 'a.1']);
    expect(await scene.databases.letters.list({ limit: 10 })).toHaveLength(1);
  }, 120_000);
});
