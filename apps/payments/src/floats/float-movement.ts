import type { Money, PostingName } from '@vuka/domain';

import type { Proposal } from '../controls/index.js';

/** What a movement names beside its amount: a provider's wallet, nothing more, or the tokens of a trade. */
export const MOVEMENT_KINDS = {
  float_funded: 'float',
  float_withdrawn: 'float',
  provider_fee: 'float',
  provider_fee_returned: 'float',
  bank_funded: 'bank',
  bank_withdrawn: 'bank',
  stablecoin_sold: 'trade',
  stablecoin_bought: 'trade',
} as const satisfies Partial<Record<PostingName, 'float' | 'bank' | 'trade'>>;

/** Also the name of its posting. */
export type MovementKind = keyof typeof MOVEMENT_KINDS;

/** Once approved, in the ledger as `float-movement:<id>`. */
export interface FloatMovement extends Proposal {
  readonly kind: MovementKind;
  /** Of a trade: the proceeds, or the price. */
  readonly amount: Money;
  /** null, both: of no provider. */
  readonly provider: string | null;
  readonly wallet: string | null;
  /** `USDC@CELO`; null: no trade. */
  readonly tokens: Money | null;
  /** Where the proof is and what it says. */
  readonly evidence: string;
  readonly proposedAt: Date;
  readonly approvedAt: Date | null;
  readonly withdrawnAt: Date | null;
  readonly withdrawnWhy: string | null;
}

export interface MovementProposal {
  readonly kind: MovementKind;
  readonly currency: string;
  /** A decimal of the currency, above 0. Of a trade: the proceeds, or the price. */
  readonly amount: string;
  readonly provider: string | null;
  readonly wallet: string | null;
  /** `USDC@CELO`. */
  readonly asset: string | null;
  /** Whole tokens, a decimal above 0. */
  readonly tokens: string | null;
  /** Where the proof is and what it says. */
  readonly evidence: string;
  readonly by: string;
}
