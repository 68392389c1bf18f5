import { afterEach, describe, expect, it } from '@jest/globals';
import type { Kafka } from 'kafkajs';

import { until } from '../../postgres.spec-support.js';
import { clock, listening } from '../../event-bus.spec-support.js';
import type { KafkaGroup } from './kafka-group.js';
import { KafkaLag } from './kafka-lag.js';

/** `committed`: -1 if none. */
interface Place {
  committed: string;
  low: string;
  high: string;
}

let lag: KafkaLag | undefined;
afterEach(() => lag?.stop());

function looking(places: Place[]) {
  let looks = 0;
  const admin = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    fetchOffsets: ({ topics }: { topics: string[] }) =>
      Promise.resolve(
        topics.map((topic) => ({
          topic,
          partitions: places.map(({ committed }, partition) => ({ partition, offset: committed, metadata: null })),
        })),
      ),
    fetchTopicOffsets: () => {
      looks += 1;
      return Promise.resolve(places.map(({ low, high }, partition) => ({ partition, low, high, offset: high })));
    },
  };
  const group = {
    name: 'p.taker',
    topics: ['p.things'],
    subscription: { group: 'taker' },
    inHand: [],
    ready: () => true,
  } as unknown as KafkaGroup;
  const { log, said } = listening();
  lag = new KafkaLag(() => [group], {
    kafka: () => ({ admin: () => admin }) as unknown as Kafka,
    prefix: 'p.',
    log,
    clock,
    everyMs: 1,
    stalledAfterMs: 10_000,
  });
  lag.start();
  return {
    /** After two more checks. */
    async expired(): Promise<unknown[]> {
      const enough = looks + 3;
      await until(() => looks >= enough);
      return said.filter(({ level }) => level === 'error').map(({ facts }) => facts);
    },
  };
}

const expired = (partition: number, from: string | null, to: string) => ({
  code: 'events_expired',
  group: 'taker',
  topic: 'things',
  partition,
  from,
  to,
});

describe('events that are gone unread', () => {
  it('are told once where the group had a place before them', async () => {
    const at = looking([
      { committed: '3', low: '10', high: '12' },
      { committed: '10', low: '10', high: '12' },
      { committed: '0', low: '0', high: '0' },
    ]);
    expect(await at.expired()).toEqual([expired(0, '3', '10')]);
  });

  it('are told once where the group has no place, be anything left or not; of a partition that is whole nothing is told', async () => {
    const at = looking([
      { committed: '-1', low: '10', high: '12' },
      { committed: '-1', low: '7', high: '7' },
      { committed: '-1', low: '0', high: '5' },
      { committed: '-1', low: '0', high: '0' },
    ]);
    expect(await at.expired()).toEqual([expired(0, null, '10'), expired(1, null, '7')]);
  });

  it('are told again where it happens again', async () => {
    const places = [{ committed: '-1', low: '10', high: '12' }];
    const at = looking(places);
    await at.expired();
    places[0] = { committed: '12', low: '10', high: '12' };
    expect(await at.expired()).toHaveLength(1);
    places[0] = { committed: '12', low: '20', high: '20' };
    expect(await at.expired()).toEqual([expired(0, null, '10'), expired(0, '12', '20')]);
  });
});
