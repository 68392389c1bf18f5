import {
  judgeDeposit,
  QUOTE_GRACE_MS,
  QUOTE_LIVES_MS,
  sameAddress,
  tokenIdentity,
  type Chain,
  type ChainHeights,
  type Credit,
  type Exposure,
  type Judgement,
  type Sighting,
} from '@vuka/domain';
import { answerWithin, type Clock } from '@vuka/runtime';

import type { DepositAddress, DepositAddresses, OwnAddresses } from '../addresses/index.js';
import type { Screening } from '../screening/index.js';
import type { ClaimToLookAt } from './claim.store.js';
import type { BuyingRates } from './take-claim.js';

/** Says what a chain knows of a transaction and an address of ours (libs/chains DepositReader). */
export interface ReadsDeposits {
  read(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** The same, once all endpoints have spoken: one that sees it is enough against those who know nothing of it. */
  readByAll(transactionId: string, address: string, until: number): Promise<Sighting>;
  /** `hash` null: the chain went past that height without a block. */
  blockAt(
    height: number,
    until: number,
  ): Promise<
    { readonly kind: 'block'; readonly hash: string | null } | { readonly kind: 'trouble'; readonly reason: string }
  >;
  heights(until: number): Promise<ChainHeights | undefined>;
}

/** A chain that is read here. */
export interface ServedChain {
  readonly chain: Chain;
  readonly reader: ReadsDeposits;
}

type Found = Extract<Sighting, { kind: 'found' }>;
type Valued = Extract<Judgement, { kind: 'verified' | 'unapplied' }>;

/** What one look came to; nothing of it is recorded yet. `rate`: the one of the day that the claim has from now on, null: none yet. */
export type Look = { readonly rate: string | null } & (
  | { readonly kind: 'trouble'; readonly trouble: string }
  | { readonly kind: 'wait'; readonly seen: boolean; readonly exposed: boolean }
  | { readonly kind: 'unusable'; readonly judgement: Extract<Judgement, { kind: 'unusable' }> }
  | {
      readonly kind: 'value';
      readonly judgement: Valued;
      readonly sighting: Found;
      readonly address: string;
      readonly screeningHit: boolean;
    }
);

/** What of a partner may still vanish. */
export interface ReadsExposure {
  of(partnerId: number): Promise<Exposure>;
}

export interface LookParts {
  readonly addresses: Pick<DepositAddresses, 'ofPartner'>;
  readonly own: Pick<OwnAddresses, 'among'>;
  readonly rates: BuyingRates;
  readonly screening: Screening;
  readonly exposure: ReadsExposure;
  readonly clock: Clock;
  readonly readMs?: number;
}

/** Nobody waits longer for a chain: well within a look's lease. */
export const READ_MS = 10_000;
/** A reader that overruns its own bound by more is not waited for. */
export const OVERRUN_MS = 1_000;
/** Stands in where no rate is known: what is judged by it is used only where a rate makes no difference. */
const ANY_RATE = '1';

/** Asks the chain about one claim and judges what it says, outside any transaction. Rejects on outages of ours; the chain's are `trouble`. */
export async function lookAt(claim: ClaimToLookAt, { chain, reader }: ServedChain, parts: LookParts): Promise<Look> {
  const { addresses, own, rates, clock, readMs = READ_MS } = parts;
  const frozen = claim.rate ?? rateOfTheDay(claim, rates);
  const address = await addresses.ofPartner(claim.partnerId, chain.family);
  if (!address.ok) return { kind: 'trouble', trouble: 'the deposit address is not the one it must be', rate: frozen };
  const late: Sighting = { kind: 'trouble', reason: 'no answer in time' };
  const sighting = await answerWithin(
    readMs + OVERRUN_MS,
    reader.read(claim.transactionHash, address.value.address, clock.now().getTime() + readMs),
    late,
  );
  if (sighting.kind === 'trouble') return { kind: 'trouble', trouble: sighting.reason, rate: frozen };
  const rate = outlived(claim, sighting) ? rateOfTheDay(claim, rates) : frozen;
  const ownAddresses = sighting.kind === 'found' ? await own.among(sendersOf(chain, sighting)) : new Set<string>();
  const exposure = await parts.exposure.of(claim.partnerId);
  const judgement = judgeDeposit({
    chain,
    sighting,
    claim: claimToJudge(claim, address.value, rate),
    ownAddresses,
    exposure,
    now: clock.now(),
  });
  if (judgement.kind === 'wait') return { ...judgement, rate: frozen };
  if (judgement.kind === 'unusable') return { kind: 'unusable', judgement, rate: frozen };
  if (sighting.kind !== 'found') throw new Error('value was judged where none was found');
  if (rate === null && needsRate(judgement, claim)) return { kind: 'trouble', trouble: 'no fresh rate', rate: frozen };
  const unbought = judgement.kind === 'verified' ? whyNotBought(judgement, rates) : null;
  if (unbought !== null) return { kind: 'trouble', trouble: unbought, rate: frozen };
  const screeningHit = await parts.screening.isHit(chain.name, sendersOf(chain, sighting, judgement.credits));
  return { kind: 'value', judgement, sighting, address: address.value.address, screeningHit, rate };
}

function rateOfTheDay({ amount, asset }: ClaimToLookAt, rates: BuyingRates): string | null {
  const rate = rates.buyingRate(amount.currency, asset);
  return rate.ok ? rate.value : null;
}

/**
 * A rate that was frozen for a claim lives as long as a quote would: a hash can be claimed before its transfer is sent, and who may still choose
 * whether to send it would choose by how the rate has gone.
 */
function outlived({ acceptedAt }: ClaimToLookAt, sighting: Sighting): boolean {
  return sighting.kind === 'found' && sighting.block.timeMs > acceptedAt.getTime() + QUOTE_LIVES_MS + QUOTE_GRACE_MS;
}

/** All that sent something, or may have, or those of them who sent of the tokens that count. */
export function sendersOf(chain: Chain, { transfers }: Found, credits?: readonly Credit[]): string[] {
  const counts = ({ token }: { token: string }): boolean =>
    credits === undefined ||
    credits.some((credit) => sameAddress(chain.family, tokenIdentity(chain, credit.token), token));
  return [...new Set(transfers.filter(counts).flatMap(({ from, alsoFrom = [] }) => [from, ...alsoFrom]))];
}

function claimToJudge(
  claim: ClaimToLookAt,
  { since }: DepositAddress,
  rate: string | null,
): Parameters<typeof judgeDeposit>[0]['claim'] {
  const { asset, amount, acceptedAt, deadline, quote } = claim;
  return {
    asset,
    amount,
    openedAt: acceptedAt,
    deadline,
    addressSince: since,
    rate: rate ?? ANY_RATE,
    quote,
  };
}

/** Whether the rate of the day counts, and not the quote's. */
function needsRate(judgement: Valued, { quote }: ClaimToLookAt): boolean {
  return judgement.kind === 'unapplied' || quote === null || judgement.quotePassedOver !== null;
}

/**
 * A token is not bought while it is not worth a dollar, or nobody knows, whatever rate was frozen or quoted before: a hash can be claimed before its
 * transfer is sent, and the tokens bought cheaply meanwhile.
 */
function whyNotBought({ credits: [{ token }] }: Valued, rates: BuyingRates): string | null {
  const peg = rates.pegOf(token.symbol);
  if (peg === 'holds') return null;
  return peg === 'off' ? 'the token is off its peg' : 'no fresh peg';
}
