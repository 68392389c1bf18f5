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
/** Lists are bounded, so that no table is read into memory as a whole. */
const most = number.max(500);
const recordsAtOnce = number.max(5_000);
const MOST_NAMED = 500;
const switched = { chain: z.string().max(40), asset: z.string().max(40).nullable(), reason: reasonGiven };

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

/** Uses offramp's own login. Throws if the database refuses it or is away. */
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
  depositsAfter: reads([z.int().nonnegative(), recordsAtOnce], (id, limit) => records.after(id, limit)),
  depositsNamed: reads([z.array(number).max(MOST_NAMED)], (ids) => records.named(ids)),
  chainHoldings: reads([], () => holdings.read()),
  openRefunds: reads([most], (limit) => refunds.open(limit)),
  refundsToSign: reads([], () => refunds.toSign()),
  takeSigned: acts({ file: z.unknown(), reason: reasonGiven }, ({ file, ...word }) => refunds.take(file, word)),
  cancelRefund: acts({ refundId: number, reason: reasonGiven }, ({ refundId, ...word }) =>
    refunds.cancel(refundId, word),
  ),
  clearRefund: acts({ refundId: number, reason: reasonGiven }, ({ refundId, ...word }) =>
    refunds.clear(refundId, word),
  ),
  /** `sent` null: nothing was included. */
  settleRefund: acts(
    { refundId: number, sent: z.string().max(200).nullable(), reason: reasonGiven },
    ({ refundId, sent, ...word }) => refunds.settle(refundId, sent, word),
  ),
});
