import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountName } from '@vuka/domain';
import { appendToOutbox, DeadLetterStore, EmbeddedEventBus } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import { type Clock, WakeSignal } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { CONSUMER_GROUP } from '../deposits/consumer-group.js';
import { CreditDeposit, type CreditEvent } from '../deposits/credit-deposit.js';
import { PayHarness, RATE } from '../testing/pay-harness.spec-support.js';
import { silent, startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { CommitWriter } from './commit-writer.js';

const TOPIC = 'offramp.deposit.events.v1';
/** Instead of 5 s. */
const LOCK_TIMEOUT_MS = 200;
/** Beyond the writer's own retries. */
const LONG_MS = 20_000;
/** Before a dead letter. */
const TRIES = 2;

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

/** With short lock waits and no time left after them. */
function impatientWriter(clock: Clock & { advance(ms: number): void }): CommitWriter {
  const query: Database['query'] = (...statement) =>
    pg.db.inTransaction(async (tx) => {
      await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      clock.advance(LONG_MS);
      return tx.query(...statement);
    });
  return new CommitWriter({ query } as Database, clock, silent, new WakeSignal());
}

const LOCKS: readonly [string, (partner: number) => [string, unknown[]]][] = [
  [
    'a wallet is kept locked',
    (partner) => ['select 1 from accounts where name = $1 for update', [accountName.wallet(partner, 'KES')]],
  ],
  ['an index is built on the entries', () => ['lock table entries in share mode', []]],
];

describe('an event of money', () => {
  it.each(LOCKS)(
    'waits while %s, uses up no try, and is applied once when that is over',
    async (_, lockOf) => {
      const harness = new PayHarness(pg);
      const [first, second] = [
        harness.facts({ received_minor: '1000000' }),
        harness.facts({ received_minor: '1000000' }),
      ];
      await harness.payAccepted();
      await harness.unapplied(first, { also: [second] });
      await harness.credited(first);
      const before = await harness.on('wallet', 'KES');

      const credits = harness.partsWith([CommitWriter, impatientWriter(harness.clock)]).get(CreditDeposit);
      const event = harness.event('deposit.credited', { deposit: second, currency: 'KES', rate: RATE });
      const errors: unknown[] = [];
      const letters = new DeadLetterStore(pg.db);
      const signal = new WakeSignal();
      const eventBus = new EmbeddedEventBus({
        log: silent,
        clock: harness.clock,
        retry: { tries: TRIES, firstDelayMs: 1, maxDelayMs: 1 },
      });
      eventBus.attachProducer({ service: 'offramp', db: pg.db, signal });
      eventBus.subscribe({
        group: CONSUMER_GROUP,
        topics: [TOPIC],
        deadLetters: letters,
        handle: (envelope) =>
          credits.run(envelope as CreditEvent).catch((error: unknown) => {
            errors.push(error);
            throw error;
          }),
      });
      await pg.db.inTransaction((tx) => appendToOutbox(tx, [event]));
      try {
        await (
          await pg.connect()
        ).inTransaction(async (tx) => {
          await tx.query(...lockOf(harness.partner));
          await eventBus.start();
          await until(() => errors.length > TRIES, {
            withinMs: 8_000,
            what: 'it is handed over more often than it has tries',
          });
          expect(errors[0]).toMatchObject({ name: 'ServiceUnavailableError', cause: { code: '55P03' } });
          expect(await letters.list({ limit: 10 })).toEqual([]);
          expect(await harness.on('wallet', 'KES')).toBe(before);
        });
        await until(async () => (await harness.on('wallet', 'KES')) > before, {
          withinMs: 10_000,
          what: 'it is applied',
        });
      } finally {
        await eventBus.stop();
      }
      await credits.run(event);
      expect((await harness.on('wallet', 'KES')) - before).toBe(before);
      expect(await harness.depositStates()).toEqual([
        [first.deposit_id, 'credited'],
        [second.deposit_id, 'credited'],
      ]);
      expect(await letters.list({ limit: 10 })).toEqual([]);
    },
    30_000,
  );
});
