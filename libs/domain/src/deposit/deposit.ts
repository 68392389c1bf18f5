import type { Money } from '../money/money.js';
import type { Unit } from '../money/rate.js';

/** What arrived at an address of ours by one transfer, in one token: the same to every service. */
export interface Deposit {
  /** offramp's: names the deposit for ever. */
  readonly depositId: number;
  readonly chain: string;
  readonly received: Money;
  /** Of its token. */
  readonly decimals: number;
}

/** The same with the transfer that it came by, as it is told of. */
export interface ArrivedDeposit extends Deposit {
  /** Canonical. */
  readonly transactionHash: string;
  readonly blockNumber: number;
  /** By the chain's own clock. */
  readonly blockTime: Date;
}

/** What the value of a deposit is counted in. */
export const unitOf = ({ received, decimals }: Pick<Deposit, 'received' | 'decimals'>): Unit => ({
  currency: received.currency,
  decimals,
});
