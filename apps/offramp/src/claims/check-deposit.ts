import { Inject, Injectable } from '@nestjs/common';
import { judgeDeposit, QUOTE_GRACE_MS, QUOTE_LIVES_MS, type Judgement, type Sighting } from '@vuka/domain';
import { type Clock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { type DepositAddress, DepositAddresses } from '../addresses/index.js';
import type { ServedChain } from '../chains/index.js';
import { Rates } from '../rates/index.js';
import { AskChain } from './ask-chain.js';
import type { ClaimToCheck } from './claim.store.js';
import { PartnerExposure, type ReadsExposure } from './exposure.js';
import type { BuyingRates } from './take-claim.js';

type Found = Extract<Sighting, { kind: 'found' }>;
type Valued = Extract<Judgement, { kind: 'verified' | 'unapplied' }>;

/** `rate`: the frozen rate of the day; null: none yet. */
export type Check = { readonly rate: string | null } & (
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

/** For judgements that do not depend on a rate. */
const ANY_RATE = '1';

/** Runs outside any transaction. Rejects on failures of ours; those of the chain are `trouble`. */
@Injectable()
export class CheckDeposit {
  public constructor(
    @Inject(DepositAddresses) private readonly addresses: Pick<DepositAddresses, 'ofPartner'>,
    @Inject(Rates) private readonly rates: BuyingRates,
    @Inject(PartnerExposure) private readonly exposure: ReadsExposure,
    private readonly ask: AskChain,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  public async run(claim: ClaimToCheck, served: ServedChain): Promise<Check> {
    const { addresses, rates, clock } = this;
    const { chain } = served;
    const frozen = claim.rate ?? rateOfTheDay(claim, rates);
    const address = await addresses.ofPartner(claim.partnerId, chain.family);
    if (!address.ok) return { kind: 'trouble', trouble: 'the deposit address is not the one it must be', rate: frozen };
    const sighting = await this.ask.sighting(served, claim.transactionHash, address.value.address);
    if (sighting.kind === 'trouble') return { kind: 'trouble', trouble: sighting.reason, rate: frozen };
    const rate = outlived(claim, sighting) ? rateOfTheDay(claim, rates) : frozen;
    const ownAddresses = await this.ask.ownSenders(chain, sighting);
    const exposure = await this.exposure.of(claim.partnerId);
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
    if (rate === null && needsRate(judgement, claim))
      return { kind: 'trouble', trouble: 'no fresh rate', rate: frozen };
    const unbought = judgement.kind === 'verified' ? whyNotBought(judgement, rates) : null;
    if (unbought !== null) return { kind: 'trouble', trouble: unbought, rate: frozen };
    const screeningHit = await this.ask.isScreened(chain, sighting, judgement.credits);
    return { kind: 'value', judgement, sighting, address: address.value.address, screeningHit, rate };
  }
}

function rateOfTheDay({ amount, asset }: ClaimToCheck, rates: BuyingRates): string | null {
  const rate = rates.buyingRate(amount.currency, asset);
  return rate.ok ? rate.value : null;
}

/**
 * A frozen rate lives as long as a quote. Otherwise a partner could claim a hash, and send only if the rate moves in
 * its favour.
 */
function outlived({ acceptedAt }: ClaimToCheck, sighting: Sighting): boolean {
  return sighting.kind === 'found' && sighting.block.timeMs > acceptedAt.getTime() + QUOTE_LIVES_MS + QUOTE_GRACE_MS;
}

function claimToJudge(
  claim: ClaimToCheck,
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

function needsRate(judgement: Valued, { quote }: ClaimToCheck): boolean {
  return judgement.kind === 'unapplied' || quote === null || judgement.quoteNotApplied !== null;
}

/**
 * We buy a token only while it is worth a dollar, whatever rate was frozen. Otherwise a partner could claim a hash,
 * then buy cheap tokens and send them.
 */
function whyNotBought({ credits: [{ token }] }: Valued, rates: BuyingRates): string | null {
  const peg = rates.pegOf(token.symbol);
  if (peg === 'holds') return null;
  return peg === 'off' ? 'the token is off its peg' : 'no fresh peg';
}
