import { acceptedTokens, sameAddress, tokenIdentity, type Chain, type Token } from '../chain/chain.js';
import { isFinal, isFinalForGood } from '../chain/finality.js';
import type { FailureCode } from '../result/failure-codes.js';
import { add, compare, money, subtract, sum, zero, type Asset, type Money } from '../money/money.js';
import { convertFloor, type Unit } from '../money/rate.js';
import { assetAmountDue, centsDue, centsOf, tokenRate, tokenUnit } from './amounts.js';
import { isOnTime } from './quote.js';
import type { BlockReference, ChainHeights, SightedTransfer, Sighting } from './sighting.js';
import { coverageOf } from './tolerance.js';

/** A transfer older than this when it was claimed pays nothing by itself (chains.md section 3.5, old deposits). */
export const MAX_DEPOSIT_AGE_MS = 24 * 3_600_000;

/** The same for one from before its address was given: both clocks may be off. */
export const ADDRESS_GRACE_MS = 5 * 60_000;

/** More whole tokens than any stablecoin has: who shows so many is not the contract that was listed, or not its chain. */
const MAX_WHOLE_TOKENS = 10n ** 15n;

export type UnusableReason = Extract<FailureCode, 'no_matching_transfer' | 'transfer_failed' | 'transfer_not_final'>;
export type UnappliedReason = Extract<FailureCode, 'underpaid' | 'wrong_asset' | 'deposit_late'>;

/** What a pay asks of its deposit. */
export interface DepositClaim {
  /** Symbol of the token that was named; null: whichever accepted one arrives. */
  readonly asset: string | null;
  /** Its currency is the one that the rates are in. */
  readonly amount: Money;
  readonly openedAt: Date;
  /** Until then a transfer that is not found, or not final, is waited for. */
  readonly deadline: Date;
  /** When the address was given to the partner. */
  readonly addressSince: Date;
  /** Fiat per whole token, frozen when the claim was taken in: what counts without a quote, or where it came too late. */
  readonly rate: string;
  readonly quote: { readonly asset: string; readonly rate: string; readonly expiresAt: Date } | null;
}

/** What a partner's deposits are worth that were told of as verified and may still vanish, and how much that may be. US cents. */
export interface Exposure {
  readonly openCents: bigint;
  readonly limitCents: bigint;
}

interface SightingToJudge {
  readonly chain: Chain;
  readonly sighting: Sighting;
  /** Senders that are ours: sweeps, refunds and top-ups are no deposits. */
  readonly ownAddresses: ReadonlySet<string>;
  /** Of the partner, this deposit apart. */
  readonly exposure: Exposure;
  readonly now: Date;
}

export interface DepositToJudge extends SightingToJudge {
  readonly claim: DepositClaim;
}

/** What came to an address that is for one order: nobody has named it, and it is judged by what it is alone. */
export interface IncomingTransferToJudge extends SightingToJudge {
  /** US cents of what was to arrive: how final it has to be that nothing did. */
  readonly expectedCents: bigint;
  /** Until then one that is not found is waited for. What is in a block is waited for without end. */
  readonly deadline: Date;
}

/** All that arrived of one accepted token; more than 0. What a quote prices, and what came beyond that, are two. */
export interface Credit {
  readonly token: Token;
  readonly received: Money;
  /** Of the token that pays, and more than its quote prices. */
  readonly isBeyondQuote: boolean;
}

/** At least one: the first is the one that pays, or was meant to; the others arrived beside it, or beyond its quote. */
export type Credits = readonly [Credit, ...Credit[]];

/** Verdicts of money.md section 2, of one look. */
export type Judgement =
  /** Look again. `seen`: value for us is in a block that is not final; `exposed`: not final for good, which it must be by the limit of exposure alone. */
  | { readonly kind: 'wait'; readonly seen: boolean; readonly exposed: boolean }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason; readonly releasesClaim: boolean }
  | {
      readonly kind: 'verified';
      readonly credits: Credits;
      /** The one that counts. */
      readonly rate: string;
      /** Why the quote does not count. */
      readonly quoteNotApplied: 'expired' | null;
      /** What is missing of the amount, within tolerance. The markup pays for it first, then we do (shortfall_covered). */
      readonly shortfall: Money;
    }
  | { readonly kind: 'unapplied'; readonly credits: Credits; readonly reason: UnappliedReason; readonly rate: string };

/** The same of an incoming transfer. */
export type IncomingTransferJudgement =
  /** Look again. `seen`: value for us in a block that is not final; `exposed`: not final for good, which it must be by the limit of exposure alone. */
  | { readonly kind: 'wait'; readonly seen: Credits | null; readonly exposed: boolean }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason }
  | { readonly kind: 'arrived'; readonly credits: Credits };

/**
 * What one sighting means for a claim (chains.md sections 2 and 3.2, decisions.md sections 4 and 5). Pure: the same look at the same
 * time is judged the same for ever. Trouble with the endpoints is never a failure, whatever the deadline.
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
 * What one sighting means for what came to an order's address: all that is there for good has arrived, whatever it is of and however much. It is as final
 * as a pay's has to be, and as exposed. Pure; trouble is never a failure, and value that is in a block never ends by the deadline.
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
  // Where nothing arrived, for what was to arrive: a chain may yet go back on that, too.
  const cents = first === undefined ? expectedCents(input) : centsReceived([first, ...others]);
  if (!settled(input.chain, sighting, cents)) return unsettled(input, first !== undefined);
  if (
    first !== undefined &&
    mustBeFinal(input, [first, ...others]) &&
    !isFinalForGood(input.chain.finality, sighting.heights, sighting.block.number)
  ) {
    return unsettled(input, true, true);
  }
  // Another's hash and no hash of ours are told alike: nobody learns whose a transfer was.
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

/** A quote is no option on more than it was given for: what came beyond that is value of its own, at no rate of the quote's. */
function partedBy(surplus: Money, [first, ...others]: Credits): Credits {
  const priced = { ...first, received: subtract(first.received, surplus) };
  return [priced, { ...first, received: surplus, isBeyondQuote: true }, ...others];
}

/** Sums of what counts, by token: the named one first, then by worth. */
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

/** A quote names its token as the request itself does, on time or not. */
const namedAsset = ({ asset, quote }: DepositClaim): string | null => asset ?? quote?.asset ?? null;

const oldestAccepted = ({ addressSince, openedAt }: DepositClaim): number =>
  Math.max(addressSince.getTime() - ADDRESS_GRACE_MS, openedAt.getTime() - MAX_DEPOSIT_AGE_MS);

const overdue = ({ now, claim }: DepositToJudge): boolean => now >= claim.deadline;

const expectedCents = ({ claim }: DepositToJudge): bigint => centsDue(claim.amount, claim.rate);

const settled = (chain: Chain, { block, heights }: InBlock, cents: bigint): boolean =>
  isFinal(chain.finality, cents, heights, block.number);

/** So much of one partner's is paid on blocks that may vanish that no more is: however small the parts are that it is sent in. */
const mustBeFinal = ({ exposure }: SightingToJudge, credits: readonly Credit[]): boolean =>
  exposure.openCents + centsReceived(credits) > exposure.limitCents;

/** US cents of all that arrived, rounded up once for each token: parts of one are worth what it is. */
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
