import type { Database } from '@vuka/persistence';
import { borrowDatabase, type TestConfig, type TestSchema } from '@vuka/persistence/test-postgres';
import { createLogger } from '@vuka/runtime';

import { paymentsMigrations } from '../commit/migrations.js';
import { checkLedger, type LedgerCheck } from '../ledger/check-ledger.js';

export const silent = createLogger('test', { level: 'silent' });

export const NO_EVENT_BUS = { subscribe: () => () => Promise.resolve() };

/** Never started. */
export const NO_JOBS = { every: (): void => undefined, wakeAt: (): Promise<void> => Promise.resolve() };

/** Of this suite alone. */
export interface PaymentsDatabase {
  readonly db: Database;
  readonly config: TestConfig;
  /** A pool on another schema. */
  beside(schema: string): Promise<Database>;
  /** Of the superuser. */
  readonly adminUrl: string;
  /** As superuser: the service's login changes no entry. */
  readonly admin: Database;
  /** Like another process. */
  connect(): Promise<Database>;
  broken(): Promise<LedgerCheck[]>;
  stop(): Promise<void>;
  /** Throws if a ledger rule is broken. */
  stopWhole(): Promise<void>;
}

export async function startPaymentsDatabase(others: readonly TestSchema[] = []): Promise<PaymentsDatabase> {
  const database = await borrowDatabase([{ name: 'payments', migrations: paymentsMigrations }, ...others]);
  const { config, adminUrl } = database;
  const db = await database.connect();
  const admin = await database.connectAsAdmin();
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
  const beside = (schema: string): Promise<Database> => database.connect(database.of(schema));
  return { db, admin, config, beside, adminUrl, connect: () => database.connect(), broken, stop, stopWhole };
}
