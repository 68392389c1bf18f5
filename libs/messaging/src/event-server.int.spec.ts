import 'reflect-metadata';

import { Controller, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENTS, TOPICS, type Envelope, type EventType, type TransactionChanged } from '@vuka/contracts';
import type { Database } from '@vuka/persistence';
import { ManualClock, WakeSignal } from '@vuka/runtime';
import { atDepth } from '@vuka/testing';

import { DeadLetterStore } from './dead-letters/dead-letters.js';
import { EmbeddedEventBus } from './embedded/embedded-event-bus.js';
import { newEnvelope } from './envelope.js';
import { EventContext, EventServer, OnEvent } from './event-server.js';
import { onceByInbox } from './outbox/inbox.js';
import { appendToOutbox } from './outbox/outbox.js';
import { quiet, TestServer, until } from './postgres.spec-support.js';

const clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
const DATABASE = Symbol('database');

function changed(id: number, sequence: number, type: EventType): Envelope {
  return newEnvelope({
    type,
    key: String(id),
    sequence,
    occurredAt: clock.now(),
    correlationId: 'request-1',
    causationId: 'move-1',
    producer: 'payments',
    data: {
      transaction_id: id,
      partner_id: 1,
      callback_url: null,
      public_sequence: sequence,
      payload: { status: 'COMPLETE', transaction_code: `T${id}`, message: 'paid' },
    },
  });
}

const OF_ONE_TOPIC = {
  events: EVENTS,
  topics: { ...TOPICS, 'checkout.order.events.v1': { owner: 'checkout', consumers: [] } },
};

@Controller()
class Deliveries {
  public constructor(@Inject(DATABASE) private readonly db: Database) {}

  @OnEvent('transaction.processing')
  public processing(@Payload() data: TransactionChanged, @Ctx() { envelope }: EventContext): Promise<unknown> {
    return this.keep(data, envelope);
  }

  @OnEvent('transaction.complete')
  public complete(@Payload() data: TransactionChanged, @Ctx() { envelope }: EventContext): Promise<unknown> {
    return this.keep(data, envelope);
  }

  @OnEvent('transaction.failed')
  public failed(): Promise<never> {
    return Promise.reject(new Error('a bug'));
  }

  @OnEvent('transaction.reversed')
  public reversed(): void {}

  @OnEvent('transaction.held')
  public held(): void {}

  @OnEvent('transaction.corrected')
  public corrected(): void {}

  @OnEvent('refund-status.changed')
  public refund(): void {}

  private keep(data: TransactionChanged, envelope: Envelope): Promise<unknown> {
    return onceByInbox(this.db, 'notifier', envelope, async (tx) => {
      await tx.query('insert into effects values ($1, $2, $3)', [envelope.id, envelope.key, data.public_sequence]);
    });
  }
}

let server: TestServer;
let maker: Database;
let taker: Database;

beforeAll(async () => {
  server = await TestServer.start();
  ({ maker, taker } = await server.freshDatabases(6));
}, 60_000);
afterAll(async () => {
  await server.stop();
}, 60_000);

describe('from the outbox to a Nest handler', () => {
  it('every event of the topic arrives once, in order within a transaction; failed ones become dead letters', async () => {
    const signal = new WakeSignal();
    const eventBus = new EmbeddedEventBus({ log: quiet, clock, retry: { tries: 2, firstDelayMs: 1, maxDelayMs: 1 } });
    eventBus.attachProducer({ service: 'payments', db: maker, signal });
    @Module({ controllers: [Deliveries], providers: [{ provide: DATABASE, useValue: taker }] })
    class NotifierModule {}
    const strategy = new EventServer({
      group: 'notifier',
      eventBus,
      deadLetters: new DeadLetterStore(taker),
      catalogue: OF_ONE_TOPIC,
    });
    const app = await NestFactory.createMicroservice(NotifierModule, { strategy, logger: false });
    await app.listen();
    await eventBus.start();
    const count = atDepth({ commit: 600, whole: 2_000 });
    const began = performance.now();
    for (let id = 1; id <= count; id += 200) {
      const ids = Array.from({ length: 200 }, (_, offset) => id + offset);
      await maker.inTransaction((tx) =>
        appendToOutbox(
          tx,
          ids.map((one) => changed(one, 1, 'transaction.processing')),
        ),
      );
      await maker.inTransaction((tx) =>
        appendToOutbox(
          tx,
          ids.map((one) => changed(one, 2, 'transaction.complete')),
        ),
      );
      signal.notify();
    }
    const failed = changed(7, 3, 'transaction.failed');
    await maker.inTransaction((tx) => appendToOutbox(tx, [failed]));
    signal.notify();
    const effects = async (): Promise<number> =>
      Number((await taker.query<{ n: string }>('select count(*) as n from effects'))[0]!.n);
    await until(async () => (await effects()) === 2 * count, 60_000);
    const rate = Math.round((2 * count) / ((performance.now() - began) / 1_000));
    process.stdout.write(`outbox to Nest handler with an inbox commit each: ${rate} events/s\n`);
    const kept = (): Promise<{ event_id: string; detail: string }[]> =>
      taker.query('select event_id, detail from dead_letters');
    await until(async () => (await kept()).length === 1);
    expect(await kept()).toEqual([{ event_id: failed.id, detail: 'Error: a bug' }]);
    await app.close();
    await eventBus.stop();
    expect(await effects()).toBe(2 * count);
  }, 120_000);
});

describe('onceByInbox', () => {
  it('runs one of two deliveries at the same time, and again what was rolled back', async () => {
    const event = changed(9_999, 1, 'transaction.complete');
    let runs = 0;
    await expect(
      onceByInbox(taker, 'notifier', event, () => {
        runs += 1;
        return Promise.reject(new Error('rolled back'));
      }),
    ).rejects.toThrow('rolled back');
    const run = (): Promise<'handled' | 'seen'> =>
      onceByInbox(taker, 'notifier', event, async (tx) => {
        runs += 1;
        await tx.query('select pg_sleep(0.02)');
      });
    const outcomes = await Promise.all([run(), run(), run()]);
    expect(outcomes.sort()).toEqual(['handled', 'seen', 'seen']);
    expect(runs).toBe(2);
    await expect(onceByInbox(taker, 'other', event, () => Promise.resolve())).resolves.toBe('handled');
  });
});
