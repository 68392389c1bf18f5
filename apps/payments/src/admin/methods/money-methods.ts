import { Injectable } from '@nestjs/common';
import { acts, partnerIdGiven as partnerId, reads, reasonGiven } from '@vuka/contracts';
import { z } from 'zod';

import { MoneyAdmin } from '../money-admin.js';

const number = z.int().positive();
const currency = z.string().regex(/^[A-Z]{3}$/);
const limit = z.int().min(1).max(500);
const word = { adjustmentId: number, reason: reasonGiven };
const partner = { partnerId, reason: reasonGiven };

@Injectable()
export class MoneyMethods {
  constructor(private readonly admin: MoneyAdmin) {}

  readonly methods = {
    proposeAdjustment: acts(
      { partnerId, currency, direction: z.enum(['fund', 'debit']), amount: z.string().max(60), reason: reasonGiven },
      (proposal) => this.admin.proposeAdjustment(proposal),
    ),
    approveAdjustment: acts(word, (act) => this.admin.approveAdjustment(act)),
    withdrawAdjustment: acts(word, (act) => this.admin.withdrawAdjustment(act)),
    adjustments: reads(
      [z.object({ partnerId: partnerId.optional(), open: z.boolean().optional(), before: number.optional(), limit })],
      (wanted) => this.admin.adjustments(wanted),
    ),
    adjustment: reads([number], (id) => this.admin.adjustment(id)),
    freeze: acts(partner, (act) => this.admin.freeze(act)),
    unfreeze: acts(partner, (act) => this.admin.unfreeze(act)),
    /** Includes lifted ones. */
    freezes: reads([z.object({ partnerId: partnerId.optional(), limit })], (wanted) => this.admin.freezes(wanted)),
    wallets: reads([partnerId], (id) => this.admin.wallets(id)),
    /** The first page has the balances. */
    statement: reads(
      [
        z.object({
          partnerId,
          currency,
          from: z.iso.datetime(),
          before: z.iso.datetime(),
          limit,
          cursor: z.string().max(200).nullable(),
        }),
      ],
      (wanted) => this.admin.statement(wanted),
    ),
  };
}
