import type { Money } from '../money/money.js';
import type { Unit } from '../money/rate.js';

/** What one transfer brought to our address, in one token. */
export interface Deposit {
  /** From offramp; never changes. */
  readonly depositId: number;
  readonly chain: string;
  readonly received: Money;
  /** The token's. */
  readonly decimals: number;
}

export interface ArrivedDeposit extends Deposit {
  /** Canonical. */
  readonly transactionHash: string;
  readonly blockNumber: number;
  /** The chain's clock. */
  readonly blockTime: Date;
}

export const unitOf = ({ received, decimals }: Pick<Deposit, 'received' | 'decimals'>): Unit => ({
  currency: received.currency,
  decimals,
});
