import { encodeMinor, isSame } from '../money/money.js';
import type { Deposit } from './deposit.js';

/** States of a deposit as offramp keeps it; `reverted`: its chain took it back. */
export type OfframpDepositState = 'consumed' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';

/** States of a deposit as the ledger keeps it; `vanished`: told to be gone before its value came. */
export type LedgerDepositState =
  'funding' | 'ordered' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted' | 'vanished';

interface Fit {
  /** At rest: both services have heard all there is. */
  readonly fits: readonly LedgerDepositState[];
  /** While an event between the two is not handled yet. */
  readonly passing: readonly LedgerDepositState[];
}

/**
 * Which states of the ledger fit a state of offramp. offramp does not follow what becomes of a pay: `consumed` is behind a payout, paid out, or in the wallet (payout_released, order_settled).
 * The ledger calls a refund `refunded` from its signature on, offramp once it is final. Events not handled yet, by the state of offramp:
 * consumed: a refund was held, or has failed; an order was settled. unapplied: an order was settled; a refund was held, or has failed. credited: its own credit; a refund was held.
 * refunding: the ledger has ended the refund, because its payment turned out to be paid. refunded: what became of the refund. reverted: the reversal.
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

/** A deposit as one of the two services keeps it. */
export interface DepositRecord extends Omit<Deposit, 'decimals'> {
  readonly partnerId: number;
  readonly state: string;
  /** When it was last known to change. */
  readonly changedAt: Date;
}

/** `passing`: an event that is not handled yet explains it. */
export interface DepositDifference {
  readonly deposit_id: number;
  readonly what: string;
  readonly passing: boolean;
}

/** What two services keep otherwise of one deposit; undefined: they agree. Absent in one of them: undefined there. */
export function depositDifference(
  offramp: DepositRecord | undefined,
  ledger: DepositRecord | undefined,
): DepositDifference | undefined {
  const id = (offramp ?? ledger)?.depositId ?? 0;
  if (ledger === undefined)
    return offramp && { deposit_id: id, what: `payments has none; offramp has ${spelled(offramp)}`, passing: true };
  if (offramp === undefined)
    return { deposit_id: id, what: `offramp has none; payments has ${spelled(ledger)}`, passing: false };
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
