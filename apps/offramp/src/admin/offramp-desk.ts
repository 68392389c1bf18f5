import type { Settings } from '@vuka/config';
import { acts, reads, reasonGiven, type OpenDesk } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database, missingMigrations, type DatabaseConfig } from '@vuka/persistence';
import type { Clock, Logger, MonotonicClock } from '@vuka/runtime';
import { z } from 'zod';

import { OFFRAMP_MIGRATIONS } from '../store/migrations.js';
import { ChainDesk } from './chain-desk.js';
import { DepositRecords } from './deposit-records.js';
import { RefundDesk } from './refund-desk.js';

export interface OfframpDeskGround {
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly clock: Clock & MonotonicClock;
  /** Where chains are read, and what pays refunds. */
  readonly settings: Pick<Settings, 'env' | 'chains'>;
  readonly log: Logger;
}

export type OfframpDeskMethods = ReturnType<typeof methodsOf>;

const number = z.int().positive();
/** Of a list: a service never reads a whole table into its memory. */
const most = number.max(500);
const recordsAtOnce = number.max(5_000);
const MOST_NAMED = 500;
const switched = { chain: z.string().max(40), asset: z.string().max(40).nullable(), reason: reasonGiven };

/** What people may see and do of offramp: through its own login and tables. Throws where the database is not reached or does not know this login. */
export async function openOfframpDesk({
  database,
  clock,
  settings,
  log,
}: OfframpDeskGround): Promise<OpenDesk<OfframpDeskMethods>> {
  const db = await Database.connect({ ...database, migrations: [] });
  return {
    methods: methodsOf(db, { clock, settings, log }),
    missingMigrations: () => missingMigrations(db, OFFRAMP_MIGRATIONS),
    close: () => db.close(),
  };
}

const methodsOf = (db: Database, { clock, settings, log }: Omit<OfframpDeskGround, 'database'>) => {
  const [chains, refunds, records] = [new ChainDesk(db, clock), new RefundDesk(db, clock), new DepositRecords(db)];
  return {
    ...actMethods(db),
    ...deadLetterMethods(db, clock),
    switches: reads([], () => chains.switches()),
    switchOff: acts(switched, (wish) => chains.switchOff(wish)),
    switchOn: acts(switched, (wish) => chains.switchOn(wish)),
    unclaimed: reads([z.object({ minutes: number.nullable(), dust: z.boolean() }), most], (wanted, limit) =>
      chains.unclaimed(wanted, limit),
    ),
    /** By id, to be held against the ledger's. */
    depositsAfter: reads([z.int().nonnegative(), recordsAtOnce], (id, limit) => records.after(id, limit)),
    depositsNamed: reads([z.array(number).max(MOST_NAMED)], (ids) => records.named(ids)),
    /** What our addresses hold, by what chains say now. Their libraries are loaded when somebody asks. */
    chainHoldings: reads([], async () =>
      new (await import('./chain-holdings.js')).ChainHoldings({ db, settings, clock, log }).read(),
    ),
    /** Those that have not ended, oldest first. */
    openRefunds: reads([most], (limit) => refunds.open(limit)),
    refundsToSign: reads([], () => refunds.toSign()),
    takeSigned: acts({ file: z.unknown(), reason: reasonGiven }, ({ file, ...word }) => refunds.take(file, word)),
    cancelRefund: acts({ refundId: number, reason: reasonGiven }, ({ refundId, ...word }) =>
      refunds.cancel(refundId, word),
    ),
    clearRefund: acts({ refundId: number, reason: reasonGiven }, ({ refundId, ...word }) =>
      refunds.clear(refundId, word),
    ),
    /** `sent` null: nothing of it got in. */
    settleRefund: acts(
      { refundId: number, sent: z.string().max(200).nullable(), reason: reasonGiven },
      ({ refundId, sent, ...word }) => refunds.settle(refundId, sent, word),
    ),
  };
};
