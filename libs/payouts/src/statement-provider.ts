import type { Money } from '@vuka/domain';

import type { PayoutProvider } from './payout-provider.js';

/** What a movement of our money at a provider says besides. Absent: it does not tell. */
interface MovementDetails {
  readonly at?: Date;
  /** What the wallet holds after it. */
  readonly balanceAfter?: Money;
}

/** What a statement says of one payout. */
export interface StatementEntry extends MovementDetails {
  readonly attemptId: string;
  readonly event: 'paid' | 'not_paid' | 'reversed';
  /** null: it tells none. */
  readonly receipt: string | null;
  /** Of `paid`: all that it says was paid under this id, without the fee and without what came back. */
  readonly amount?: Money;
  readonly fee?: Money;
}

/** A movement that is no payout. */
export interface StatementMovement extends MovementDetails {
  readonly kind: 'fee' | 'top_up' | 'other';
  /** Negative: it left the wallet, where the provider tells the direction. */
  readonly amount: Money;
}

export interface StatementPage {
  /** Without lines that only say "accepted". */
  readonly entries: readonly StatementEntry[];
  readonly movements?: readonly StatementMovement[];
  /** Lines that cannot be read, and are in no other member. */
  readonly unreadable?: number;
  /** A part of the statement is not read for long, although the cursor moves on: why. As `detail` of ProviderAnswer. */
  readonly trouble?: string;
  readonly next: string;
  readonly more: boolean;
}

/** Only a hint which attempts to query again. */
export interface StatementProvider extends PayoutProvider {
  /**
   * null: from the beginning. Resolves null if unreadable; never throws for provider trouble. A line may come again
   * on a later page.
   */
  statement(cursor: string | null): Promise<StatementPage | null>;
}

export function hasStatement(provider: PayoutProvider): provider is StatementProvider {
  return 'statement' in provider;
}
