import { chainNamed, encodeMinor, formatDecimal, type Money } from '@vuka/domain';
import type { StatementEntry } from '@vuka/contracts';

import type { KeptAdjustment } from '../../wallets/index.js';
import type { KeptFreeze } from '../../controls/index.js';
import type { FloatMovement, MovementKind } from '../../floats/index.js';
import { moneyOf, timeOf, timeOrNull } from './view-values.js';
import type { MoneyView } from './views.js';

export interface AdjustmentView {
  readonly id: number;
  readonly partner_id: number;
  readonly direction: 'fund' | 'debit';
  readonly amount: MoneyView;
  readonly amount_minor: string;
  readonly reason: string;
  readonly state: 'proposed' | 'approved' | 'withdrawn';
  readonly proposed_by: string;
  readonly proposed_at: string;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  readonly withdrawn_by: string | null;
  readonly withdrawn_at: string | null;
  readonly withdrawn_why: string | null;
}

export interface FloatMovementView {
  readonly id: number;
  readonly kind: MovementKind;
  readonly amount: MoneyView;
  readonly amount_minor: string;
  /** null, both: of no provider. */
  readonly provider: string | null;
  readonly wallet: string | null;
  /** Whole tokens of `USDC@CELO`; null: no trade. */
  readonly tokens: MoneyView | null;
  readonly evidence: string;
  readonly state: 'proposed' | 'approved' | 'withdrawn';
  readonly proposed_by: string;
  readonly proposed_at: string;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  readonly withdrawn_by: string | null;
  readonly withdrawn_at: string | null;
  readonly withdrawn_why: string | null;
}

export interface FreezeView {
  readonly id: number;
  readonly partner_id: number;
  readonly reason: string;
  readonly frozen_by: string;
  readonly frozen_at: string;
  /** null: it stands. */
  readonly lifted_at: string | null;
  readonly lifted_by: string | null;
  readonly lifted_why: string | null;
}

export interface WalletView {
  readonly currency: string;
  readonly balance: MoneyView;
  readonly balance_minor: string;
  /** Behind open payouts. */
  readonly held: MoneyView;
  readonly owed: MoneyView;
}

export interface StatementView {
  readonly partner_id: number;
  readonly currency: string;
  /** By entries; null after the first page. */
  readonly opening: MoneyView | null;
  readonly closing: MoneyView | null;
  readonly entries: readonly StatementEntry[];
  readonly next_cursor: string | null;
}

export function adjustmentView({ id, partnerId, direction, amount, reason, ...rest }: KeptAdjustment): AdjustmentView {
  return {
    id,
    partner_id: partnerId,
    direction,
    amount: moneyOf(encodeMinor(amount), amount.currency),
    amount_minor: encodeMinor(amount),
    reason,
    state: rest.approvedAt !== null ? 'approved' : rest.withdrawnAt !== null ? 'withdrawn' : 'proposed',
    proposed_by: rest.proposedBy,
    proposed_at: timeOf(rest.proposedAt),
    approved_by: rest.approvedBy,
    approved_at: timeOrNull(rest.approvedAt),
    withdrawn_by: rest.withdrawnBy,
    withdrawn_at: timeOrNull(rest.withdrawnAt),
    withdrawn_why: rest.withdrawnWhy,
  };
}

export function floatMovementView({
  id,
  kind,
  amount,
  provider,
  wallet,
  tokens,
  evidence,
  ...rest
}: FloatMovement): FloatMovementView {
  return {
    id,
    kind,
    amount: moneyOf(encodeMinor(amount), amount.currency),
    amount_minor: encodeMinor(amount),
    provider,
    wallet,
    tokens: tokens && { amount: wholeTokens(tokens), currency: tokens.currency },
    evidence,
    state: rest.approvedAt !== null ? 'approved' : rest.withdrawnAt !== null ? 'withdrawn' : 'proposed',
    proposed_by: rest.proposedBy,
    proposed_at: timeOf(rest.proposedAt),
    approved_by: rest.approvedBy,
    approved_at: timeOrNull(rest.approvedAt),
    withdrawn_by: rest.withdrawnBy,
    withdrawn_at: timeOrNull(rest.withdrawnAt),
    withdrawn_why: rest.withdrawnWhy,
  };
}

/** In minor units where the token is none of ours any more. */
function wholeTokens({ minor, currency }: Money): string {
  const [symbol, chain = ''] = currency.split('@');
  const token = chainNamed(chain)?.tokens.find((one) => one.symbol === symbol);
  return formatDecimal(minor, token?.decimals ?? 0);
}

export function freezeView({
  id,
  partnerId,
  reason,
  frozenBy,
  frozenAt,
  liftedBy,
  liftedAt,
  liftedWhy,
}: KeptFreeze): FreezeView {
  return {
    id,
    partner_id: partnerId,
    reason,
    frozen_by: frozenBy,
    frozen_at: timeOf(frozenAt),
    lifted_at: timeOrNull(liftedAt),
    lifted_by: liftedBy,
    lifted_why: liftedWhy,
  };
}
