import { acceptedTokens, sameAddress, tokenIdentity, type Chain, type Token } from '../chain/chain.js';
import { isFinal, isFinalForGood } from '../chain/finality.js';
import type { FailureCode } from '../result/failure-codes.js';
import { add, compare, money, subtract, sum, zero, type Asset, type Money } from '../money/money.js';
import { convertFloor, type Unit } from '../money/rate.js';
import { assetAmountDue, centsDue, centsOf, tokenRate, tokenUnit } from './amounts.js';
import { isOnTime } from './quote.js';
import type { BlockReference, ChainHeights, SightedTransfer, Sighting } from './sighting.js';
import { coverageOf } from './tolerance.js';

/** Older transfers do not pay (chains.md section 3.5, old deposits). */
export const MAX_DEPOSIT_AGE_MS = 24 * 3_600_000;

/** Before the address was given: both clocks may be wrong. */
export const ADDRESS_GRACE_MS = 5 * 60_000;

/** More than any supply: the contract or the chain is not the real one. */
const MAX_WHOLE_TOKENS = 10n ** 15n;

export type UnusableReason = Extract<FailureCode, 'no_matching_transfer' | 'transfer_failed' | 'transfer_not_final'>;
export type UnappliedReason = Extract<FailureCode, 'underpaid' | 'wrong_asset' | 'deposit_late'>;

export interface DepositClaim {
  /** null: any accepted one. */
  readonly asset: string | null;
  /** In the currency of the rates. */
  readonly amount: Money;
  readonly openedAt: Date;
  /** For a missing or not final transfer. */
  readonly deadline: Date;
  readonly addressSince: Date;
  /** Frozen with the claim. Used without a quote, or if the quote is too late. */
  readonly rate: string;
  readonly quote: { readonly asset: string; readonly rate: string; readonly expiresAt: Date } | null;
}

/** US cents of a partner's verified deposits that may still vanish. */
export interface Exposure {
  readonly openCents: bigint;
  readonly limitCents: bigint;
}

interface SightingToJudge {
  readonly chain: Chain;
  readonly sighting: Sighting;
  /** Sweeps, refunds and top-ups are not deposits. */
  readonly ownAddresses: ReadonlySet<string>;
  /** Without this deposit. */
  readonly exposure: Exposure;
  readonly now: Date;
}

export interface DepositToJudge extends SightingToJudge {
  readonly claim: DepositClaim;
}

/** To an order's own address: no claim names it. */
export interface IncomingTransferToJudge extends SightingToJudge {
  /** Sets how final a block without value must be. */
  readonly expectedCents: bigint;
  /** A transfer in a block with value has no deadline. */
  readonly deadline: Date;
}

/** More than 0. A quote's part and its surplus are two credits. */
export interface Credit {
  readonly token: Token;
  readonly received: Money;
  /** Above what the quote prices. */
  readonly isBeyondQuote: boolean;
}

/** The first pays, or should have. */
export type Credits = readonly [Credit, ...Credit[]];

/** money.md section 2. */
export type Judgement =
  /**
   * `seen`: value in a block that is not final. `exposed`: only the exposure limit still requires full
   * finality.
   */
  | { readonly kind: 'wait'; readonly seen: boolean; readonly exposed: boolean }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason; readonly releasesClaim: boolean }
  | {
      readonly kind: 'verified';
      readonly credits: Credits;
      readonly rate: string;
      readonly quoteNotApplied: 'expired' | null;
      /** The markup pays for it first, then we do (shortfall_covered). */
      readonly shortfall: Money;
    }
  | { readonly kind: 'unapplied'; readonly credits: Credits; readonly reason: UnappliedReason; readonly rate: string };

export type IncomingTransferJudgement =
  | { readonly kind: 'wait'; readonly seen: Credits | null; readonly exposed: boolean }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason }
  | { readonly kind: 'arrived'; readonly credits: Credits };

/**
 * chains.md sections 2 and 3.2, decisions.md sections 4 and 5. Pure. Endpoint trouble is never a failure,
 * whatever the deadline.
 */
export function judgeDeposit(input: DepositToJudge): Judgement {
  const { sighting } = input;
  switch (sighting.kind) {
    case 'trouble':
      return UNSEEN;
    case 'not_found':
      return overdue(input) ? { kind: 'unusable', reason: 'no_matching_transfer', releasesClaim: true } : UNSEEN;
    case 'failed':
      return settled(input.chain, sighting, expectedCents(input))
        ? { kind: 'unusable', reason: 'transfer_failed', releasesClaim: false }
        : unsettled(input, false);
    case 'found':
      return judgeFound(input, sighting);
  }
}

/**
 * All final value arrives, in any token and amount; finality and exposure as for a pay.
 * Pure. Trouble is never a failure, and value in a block never fails by the deadline.
 */
export function judgeIncomingTransfer(input: IncomingTransferToJudge): IncomingTransferJudgement {
  const { sighting, chain, deadline, now } = input;
  const isOver = now >= deadline;
  const unseen: IncomingTransferJudgement = { kind: 'wait', seen: null, exposed: false };
  if (sighting.kind === 'trouble') return unseen;
  if (sighting.kind === 'not_found') return isOver ? { kind: 'unusable', reason: 'no_matching_transfer' } : unseen;
  const credits = sighting.kind === 'failed' ? [] : creditsOf(input, null, sighting.transfers);
  const [first, ...others] = credits;
  if (first === undefined) {
    if (settled(chain, sighting, input.expectedCents))
      return { kind: 'unusable', reason: sighting.kind === 'failed' ? 'transfer_failed' : 'no_matching_transfer' };
    return isOver ? { kind: 'unusable', reason: 'transfer_not_final' } : unseen;
  }
  const seen: Credits = [first, ...others];
  if (!settled(chain, sighting, centsReceived(seen))) return { kind: 'wait', seen, exposed: false };
  if (mustBeFinal(input, seen) && !isFinalForGood(chain.finality, sighting.heights, sighting.block.number))
    return { kind: 'wait', seen, exposed: true };
  return { kind: 'arrived', credits: seen };
}

const UNSEEN: Judgement = { kind: 'wait', seen: false, exposed: false };

type InBlock = { readonly block: BlockReference; readonly heights: ChainHeights };

function judgeFound(input: DepositToJudge, sighting: Extract<Sighting, { kind: 'found' }>): Judgement {
  const { claim } = input;
  const [first, ...others] = creditsOf(input, namedAsset(claim), sighting.transfers);
  // Without value, finality for the expected value: a reorganisation may still change that.
  const cents = first === undefined ? expectedCents(input) : centsReceived([first, ...others]);
  if (!settled(input.chain, sighting, cents)) return unsettled(input, first !== undefined);
  if (
    first !== undefined &&
    mustBeFinal(input, [first, ...others]) &&
    !isFinalForGood(input.chain.finality, sighting.heights, sighting.block.number)
  ) {
    return unsettled(input, true, true);
  }
  // Same answer for another partner's and an unknown transfer: it must not reveal whose it was.
  if (first === undefined) return { kind: 'unusable', reason: 'no_matching_transfer', releasesClaim: false };
  const credits: Credits = [first, ...others];
  const blockMs = sighting.block.timeMs;
  if (blockMs < oldestAccepted(claim)) return { kind: 'unapplied', credits, reason: 'deposit_late', rate: claim.rate };
  const named = namedAsset(claim);
  if (named !== null && first.token.symbol !== named)
    return { kind: 'unapplied', credits, reason: 'wrong_asset', rate: claim.rate };
  return judgeValue(claim, credits, blockMs);
}

function judgeValue(claim: DepositClaim, credits: Credits, blockMs: number): Judgement {
  const { quote, amount } = claim;
  const quoted = quote !== null && isOnTime(quote, claim.openedAt, blockMs);
  const rate = quoted ? quote.rate : claim.rate;
  const [{ token, received }] = credits;
  const unit: Unit = { currency: received.currency, decimals: token.decimals };
  const { verdict, surplus } = coverageOf(received, assetAmountDue(amount, rate, unit), unit);
  if (verdict === 'short') return { kind: 'unapplied', credits, reason: 'underpaid', rate };
  const priced = quoted && verdict === 'surplus' ? partedBy(surplus, credits) : credits;
  const worth = convertFloor(priced[0].received, tokenRate(rate, amount.currency, unit));
  return {
    kind: 'verified',
    credits: priced,
    rate,
    quoteNotApplied: quote === null || quoted ? null : 'expired',
    shortfall: compare(worth, amount) < 0 ? subtract(amount, worth) : zero(amount.currency),
  };
}

/** A quote prices only its own amount; the surplus does not get its rate. */
function partedBy(surplus: Money, [first, ...others]: Credits): Credits {
  const priced = { ...first, received: subtract(first.received, surplus) };
  return [priced, { ...first, received: surplus, isBeyondQuote: true }, ...others];
}

/** Sums by token: the named one first, then by value. */
function creditsOf(
  { chain, ownAddresses }: SightingToJudge,
  named: string | null,
  transfers: readonly SightedTransfer[],
): readonly Credit[] {
  const ours = [...ownAddresses];
  const strangers = transfers.filter(
    ({ from, alsoFrom = [] }) =>
      ![from, ...alsoFrom].some((sender) => ours.some((address) => sameAddress(chain.family, address, sender))),
  );
  return acceptedTokens(chain)
    .map((token): Credit => {
      const { currency } = tokenUnit(chain, token);
      const received = strangers
        .filter(({ token: identity }) => sameAddress(chain.family, tokenIdentity(chain, token), identity))
        .map(({ value }) => money(value, currency));
      return { token, received: sum(currency, received), isBeyondQuote: false };
    })
    .filter(
      ({ token, received }) =>
        received.minor > 0n && received.minor <= MAX_WHOLE_TOKENS * 10n ** BigInt(token.decimals),
    )
    .sort((one, other) => firstOf(named, one, other));
}

function firstOf(named: string | null, one: Credit, other: Credit): number {
  if (one.token.symbol === named) return -1;
  if (other.token.symbol === named) return 1;
  const worthOfOne = one.received.minor * 10n ** BigInt(other.token.decimals);
  const worthOfOther = other.received.minor * 10n ** BigInt(one.token.decimals);
  if (worthOfOne === worthOfOther) return 0;
  return worthOfOne > worthOfOther ? -1 : 1;
}

/** The quote's token counts even if the quote is late. */
const namedAsset = ({ asset, quote }: DepositClaim): string | null => asset ?? quote?.asset ?? null;

const oldestAccepted = ({ addressSince, openedAt }: DepositClaim): number =>
  Math.max(addressSince.getTime() - ADDRESS_GRACE_MS, openedAt.getTime() - MAX_DEPOSIT_AGE_MS);

const overdue = ({ now, claim }: DepositToJudge): boolean => now >= claim.deadline;

const expectedCents = ({ claim }: DepositToJudge): bigint => centsDue(claim.amount, claim.rate);

const settled = (chain: Chain, { block, heights }: InBlock, cents: bigint): boolean =>
  isFinal(chain.finality, cents, heights, block.number);

/** Limits one partner's value on blocks that may vanish, even if split into many deposits. */
const mustBeFinal = ({ exposure }: SightingToJudge, credits: readonly Credit[]): boolean =>
  exposure.openCents + centsReceived(credits) > exposure.limitCents;

/** Rounded up once per token, so that splitting does not change the sum. */
export function centsReceived(credits: readonly Credit[]): bigint {
  const byAsset = new Map<Asset, Credit>();
  for (const credit of credits) {
    const { currency } = credit.received;
    const before = byAsset.get(currency)?.received ?? zero(currency);
    byAsset.set(currency, { ...credit, received: add(before, credit.received) });
  }
  return [...byAsset.values()].reduce((total, { token, received }) => total + centsOf(received, token), 0n);
}

const unsettled = (input: DepositToJudge, seen: boolean, exposed = false): Judgement =>
  overdue(input)
    ? { kind: 'unusable', reason: 'transfer_not_final', releasesClaim: true }
    : { kind: 'wait', seen, exposed };
