import type { Database } from '@vuka/persistence';
import { borrowDatabase, type TestConfig } from '@vuka/persistence/test-postgres';
import { createLogger } from '@vuka/runtime';

import { paymentsMigrations } from '../commit/migrations.js';
import { checkLedger, type LedgerCheck } from '../ledger/check-ledger.js';

export const silent = createLogger('test', { level: 'silent' });

/** Nothing comes over it. */
export const NO_EVENT_BUS = { subscribe: () => () => Promise.resolve() };

/** A job clock that nobody starts. */
export const NO_JOBS = { every: (): void => undefined, wakeAt: (): Promise<void> => Promise.resolve() };

/** A database of this suite's own with payments' tables in it. */
export interface PaymentsDatabase {
  readonly db: Database;
  readonly config: TestConfig;
  /** Of the superuser. */
  readonly adminUrl: string;
  /** Another pool on the same schema, as another process would have. */
  connect(): Promise<Database>;
  /** The ledger's rules that do not hold, and by what. */
  broken(): Promise<LedgerCheck[]>;
  stop(): Promise<void>;
  /** The same, for a suite that leaves the ledger sound: throws where a rule does not hold. */
  stopWhole(): Promise<void>;
}

export async function startPaymentsDatabase(): Promise<PaymentsDatabase> {
  const database = await borrowDatabase([{ name: 'payments', migrations: paymentsMigrations }]);
  const { config, adminUrl } = database;
  const db = await database.connect();
  const broken = async (): Promise<LedgerCheck[]> =>
    (await checkLedger(db)).checks.filter((check) => check.broken.length > 0);
  const stop = (): Promise<void> => database.stop();
  const stopWhole = async (): Promise<void> => {
    try {
      const rules = await broken();
      if (rules.length > 0) throw new Error(`The ledger is broken: ${JSON.stringify(rules)}`);
    } finally {
      await stop();
    }
  };
  return { db, config, adminUrl, connect: () => database.connect(), broken, stop, stopWhole };
}
