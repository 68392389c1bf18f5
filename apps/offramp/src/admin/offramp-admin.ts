import { Inject, Injectable, Module } from '@nestjs/common';
import { transferSigner } from '@vuka/chains';
import { acts, reads, reasonGiven, type OpenAdmin } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK, type AdminGround, openAdmin } from '@vuka/service-host';
import { z } from 'zod';

import { RefundsModule } from '../refunds/index.js';
import { OFFRAMP_MIGRATIONS } from '../store/migrations.js';
import { SwitchesModule } from '../switches/index.js';
import { SIGNER_OF, SignTransfer } from '../transfers/index.js';
import { ChainAdmin } from './chain-admin.js';
import { ChainHoldings } from './chain-holdings.js';
import { DepositRecords } from './deposit-records.js';
import { RefundAdmin } from './refund-admin.js';

export type OfframpAdminMethods = ReturnType<typeof actMethods> &
  ReturnType<typeof deadLetterMethods> &
  ReturnType<typeof methodsOf>;

const number = z.int().positive();
/** Of a list: a service never reads a whole table into its memory. */
const most = number.max(500);
const recordsAtOnce = number.max(5_000);
const MOST_NAMED = 500;
const switched = { chain: z.string().max(40), asset: z.string().max(40).nullable(), reason: reasonGiven };

/** What people may see and do of offramp. */
@Injectable()
export class OfframpAdmin {
  public readonly methods: OfframpAdminMethods;

  public constructor(
    db: Database,
    chains: ChainAdmin,
    refunds: RefundAdmin,
    records: DepositRecords,
    holdings: ChainHoldings,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.methods = {
      ...actMethods(db),
      ...deadLetterMethods(db, clock),
      ...methodsOf({ chains, refunds, records, holdings }),
    };
  }
}

@Module({
  imports: [RefundsModule, SwitchesModule],
  providers: [
    { provide: SIGNER_OF, useValue: transferSigner },
    SignTransfer,
    ChainAdmin,
    RefundAdmin,
    DepositRecords,
    ChainHoldings,
    OfframpAdmin,
  ],
})
class AdminModule {}

/** Through offramp's own login and tables. Throws where the database is not reached or does not know this login. */
export function openOfframpAdmin(ground: AdminGround): Promise<OpenAdmin<OfframpAdminMethods>> {
  return openAdmin(
    { name: 'offramp', migrations: OFFRAMP_MIGRATIONS, module: AdminModule, root: OfframpAdmin },
    ground,
  );
}

interface Admins {
  readonly chains: ChainAdmin;
  readonly refunds: RefundAdmin;
  readonly records: DepositRecords;
  readonly holdings: ChainHoldings;
}

const methodsOf = ({ chains, refunds, records, holdings }: Admins) => ({
  switches: reads([], () => chains.switches()),
  switchOff: acts(switched, (wish) => chains.switchOff(wish)),
  switchOn: acts(switched, (wish) => chains.switchOn(wish)),
  unclaimed: reads([z.object({ minutes: number.nullable(), dust: z.boolean() }), most], (wanted, limit) =>
    chains.unclaimed(wanted, limit),
  ),
  /** By id, to be held against the ledger's. */
  depositsAfter: reads([z.int().nonnegative(), recordsAtOnce], (id, limit) => records.after(id, limit)),
  depositsNamed: reads([z.array(number).max(MOST_NAMED)], (ids) => records.named(ids)),
  /** What our addresses hold, by what chains say now. */
  chainHoldings: reads([], () => holdings.read()),
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
});
