import { encodeMinor, isSame } from '../money/money.js';
import type { Deposit } from './deposit.js';

export type OfframpDepositState = 'consumed' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';

/** `vanished`: reported gone before its value was booked. */
export type LedgerDepositState =
  'funding' | 'ordered' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted' | 'vanished';

interface Fit {
  /** If all events are handled. */
  readonly fits: readonly LedgerDepositState[];
  /** If an event between the two is not handled yet. */
  readonly passing: readonly LedgerDepositState[];
}

/**
 * `consumed`: behind a payout, paid out, or in the wallet; offramp does not follow a pay.
 * The ledger books `refunded` at the signature, offramp when final. Unhandled events behind `passing`:
 * - consumed, unapplied: a refund was held or failed; an order was settled.
 * - credited: its credit, or a refund was held.
 * - refunding: the ledger ended the refund because its payment was paid.
 * - refunded: the refund's result. reverted: the reversal.
 */
export const FITTING_STATES: Readonly<Record<OfframpDepositState, Fit>> = {
  consumed: { fits: ['funding', 'ordered', 'credited'], passing: ['unapplied', 'refunding', 'refunded'] },
  unapplied: { fits: ['unapplied'], passing: ['ordered', 'refunding', 'refunded'] },
  credited: { fits: ['credited'], passing: ['unapplied', 'ordered', 'refunding'] },
  refunding: { fits: ['refunding', 'refunded'], passing: ['funding', 'unapplied', 'credited'] },
  refunded: { fits: ['refunded'], passing: ['refunding'] },
  reverted: {
    fits: ['reverted', 'vanished'],
    passing: ['funding', 'ordered', 'unapplied', 'credited', 'refunding', 'refunded'],
  },
};

export interface DepositRecord extends Omit<Deposit, 'decimals'> {
  readonly partnerId: number;
  readonly state: string;
  readonly changedAt: Date;
}

/** `passing`: an unhandled event explains it. */
export interface DepositDifference {
  readonly deposit_id: number;
  readonly what: string;
  readonly passing: boolean;
  /** The partner, where the ledger has value of a deposit that offramp never had. */
  readonly unbackedOf?: number;
}

const WITHOUT_VALUE: readonly string[] = ['reverted', 'vanished'] satisfies LedgerDepositState[];

/** undefined: they agree. Pass undefined for a missing record. */
export function depositDifference(
  offramp: DepositRecord | undefined,
  ledger: DepositRecord | undefined,
): DepositDifference | undefined {
  const id = (offramp ?? ledger)?.depositId ?? 0;
  if (ledger === undefined)
    return offramp && { deposit_id: id, what: `payments has none; offramp has ${spelled(offramp)}`, passing: true };
  if (offramp === undefined)
    return {
      deposit_id: id,
      what: `offramp has none; payments has ${spelled(ledger)}`,
      passing: false,
      ...(!WITHOUT_VALUE.includes(ledger.state) && { unbackedOf: ledger.partnerId }),
    };
  const { fits, passing } = fitOf(offramp.state);
  const isAlike =
    ledger.state === 'vanished' ||
    (isSame(offramp.received, ledger.received) &&
      offramp.chain === ledger.chain &&
      offramp.partnerId === ledger.partnerId);
  const state = ledger.state as LedgerDepositState;
  if (isAlike && fits.includes(state)) return undefined;
  return {
    deposit_id: id,
    what: `offramp has ${spelled(offramp)}; payments has ${spelled(ledger)}`,
    passing: isAlike && passing.includes(state),
  };
}

function fitOf(state: string): Fit {
  return Object.hasOwn(FITTING_STATES, state)
    ? FITTING_STATES[state as OfframpDepositState]
    : { fits: [], passing: [] };
}

function spelled({ received, chain, partnerId, state }: DepositRecord): string {
  return `${encodeMinor(received)} of ${received.currency} on ${chain}, of partner ${String(partnerId)}, ${state}`;
}
