import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  compare,
  money,
  sum,
  type Money,
  isFinalForGood,
  sameAddress,
  tokenAsset,
  tokenIdentity,
  type Chain,
  type ChainHeights,
  type SightedTransfer,
  type Sighting,
} from '@vuka/domain';
import { answerWithin, type Clock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { READ_WITHIN_MS, type ServedChain } from '../chains/index.js';
import { type DepositToRecheck, READ_MS, type ToldDeposit } from '../claims/index.js';
import { Switches } from '../switches/index.js';

type Found = Extract<Sighting, { kind: 'found' }>;

export type SecondCheck =
  | { readonly kind: 'trouble'; readonly reason: string }
  /** Endpoints have lost it, though its block is canonical. */
  | { readonly kind: 'untold' }
  /**
   * No endpoint has it, and its block is not canonical. `heights`: agreed before endpoints were asked; undefined: no
   * agreement.
   */
  | { readonly kind: 'missing'; readonly heights: ChainHeights | undefined }
  | { readonly kind: 'found'; readonly sighting: Found };

/** `forGood`: no later block changes it. `untold`: there, but not reported. */
export type DepositStands = { readonly kind: 'there' | 'missing' | 'untold'; readonly forGood: boolean };

/** null: the chain may be believed. */
export interface ReadsSwitches {
  whyOff(chain: string, asset: string | null): Promise<string | null>;
}

/** Extra time before we stop waiting for a reader. */
const OVERRUN_MS = 1_000;

type Place = Pick<ToldDeposit, 'transactionHash' | 'address'>;
type PlaceInBlock = Place & Pick<ToldDeposit, 'blockNumber' | 'blockHash'>;

const late = { kind: 'trouble', reason: 'no answer in time' } as const;

@Injectable()
export class AskAgain {
  public constructor(
    @Inject(Switches) private readonly switches: ReadsSwitches,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(READ_WITHIN_MS) private readonly readMs: number = READ_MS,
  ) {}

  public once({ transactionHash, address }: Place, { chain, reader }: ServedChain): Promise<Sighting> {
    return this.unlessOff(chain, () => this.within((until) => reader.read(transactionHash, address, until), late));
  }

  /**
   * Endpoints may have forgotten it. So we agree on heights, then on the block at its height, then ask every endpoint.
   * A final height with another block never gets the old block again.
   */
  public surely(deposit: PlaceInBlock, served: ServedChain): Promise<SecondCheck> {
    return this.unlessOff(served.chain, () => this.askAll(deposit, served));
  }

  private async askAll(deposit: PlaceInBlock, served: ServedChain): Promise<SecondCheck> {
    const first = await this.once(deposit, served);
    if (first.kind === 'trouble' || first.kind === 'found') return asCheck(first);
    const { reader } = served;
    const heights = await this.within((until) => reader.heights(until), undefined);
    const block = await this.within((until) => reader.blockAt(deposit.blockNumber, until), late);
    if (block.kind === 'trouble') return block;
    if (block.hash === deposit.blockHash) return { kind: 'untold' };
    const all = await this.within((until) => reader.readByAll(deposit.transactionHash, deposit.address, until), late);
    return all.kind === 'trouble' || all.kind === 'found' ? asCheck(all) : { kind: 'missing', heights };
  }

  /** The answer is dropped if the chain was switched off meanwhile: it may be wrong. */
  private async unlessOff<T>(
    { name }: Chain,
    ask: () => Promise<T>,
  ): Promise<T | { readonly kind: 'trouble'; readonly reason: string }> {
    const { switches } = this;
    const before = await switches.whyOff(name, null);
    if (before !== null) return { kind: 'trouble', reason: before };
    const said = await ask();
    const after = await switches.whyOff(name, null);
    return after === null ? said : { kind: 'trouble', reason: after };
  }

  private within<T, L>(ask: (until: number) => Promise<T>, overrun: L): Promise<T | L> {
    return answerWithin(this.readMs + OVERRUN_MS, ask(this.clock.now().getTime() + this.readMs), overrun);
  }
}

function asCheck(sighting: Found | Extract<Sighting, { kind: 'trouble' }>): SecondCheck {
  return sighting.kind === 'trouble' ? sighting : { kind: 'found', sighting };
}

/**
 * There: its transfer still brings at least all of the token, even in another block. Missing for good: the chain has
 * finalised past its block. The same block cannot bring less: such a report is wrong.
 */
export function standsOf(
  chain: Chain,
  check: Exclude<SecondCheck, { kind: 'trouble' }>,
  { whole, blockNumber, blockHash }: DepositToRecheck,
): DepositStands {
  const isPast = (heights: ChainHeights | undefined, block: number): boolean =>
    heights !== undefined && isFinalForGood(chain.finality, heights, block);
  if (check.kind === 'untold') return { kind: 'untold', forGood: false };
  if (check.kind === 'missing') return { kind: 'missing', forGood: isPast(check.heights, blockNumber) };
  const { transfers, heights, block } = check.sighting;
  if (compare(receivedOf(chain, whole.currency, transfers), whole) >= 0)
    return { kind: 'there', forGood: isPast(heights, block.number) };
  if (block.hash === blockHash) return { kind: 'untold', forGood: false };
  return { kind: 'missing', forGood: isPast(heights, blockNumber) };
}

/** Includes tokens that are no longer accepted. */
export function receivedOf(chain: Chain, asset: string, transfers: readonly SightedTransfer[]): Money {
  const token = chain.tokens.find((one) => tokenAsset(chain, one) === asset);
  if (token === undefined) throw new Error(`${asset} is not listed any more`);
  const ofToken = transfers.filter((transfer) =>
    sameAddress(chain.family, tokenIdentity(chain, token), transfer.token),
  );
  return sum(
    asset,
    ofToken.map(({ value }) => money(value, asset)),
  );
}

/** For logs: no address. */
export function factsOf({ depositId, claimId, partnerId, chain, received, blockNumber }: ToldDeposit): object {
  return {
    deposit_id: depositId,
    transaction_id: claimId,
    partner_id: partnerId,
    chain,
    asset: received.currency,
    block_number: blockNumber,
  };
}
