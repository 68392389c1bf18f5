import { finalityTier, isFinal, tokenAt, type ChainHeights, type EvmChain } from '@vuka/domain';

import {
  costOf,
  type Broadcast,
  type NextPlace,
  type OutgoingOptions,
  type OutgoingTransfers,
  type OutgoingTrouble,
  type Preparation,
  type SignedTransfer,
  type TransferFate,
  type TransferOrder,
  type UnsignedTransfer,
} from '../outgoing.js';
import { OutgoingQuorum, type Told } from '../outgoing-quorum.js';
import { EndpointClient } from '../reader/endpoint-client.js';

import { feeBid, type FeeBid, type GasPrices } from './fee-bid.js';
import { OutgoingEndpoint, type GasEstimate, type Purse } from './outgoing-endpoint.js';
import { meantTransaction, mostFeeOf, transferData } from './transfer-signer.js';

type EvmOutgoingOptions = OutgoingOptions & { readonly chain: EvmChain };

/** No listed token needs more. */
const MOST_GAS = 500_000n;
const GAS_MARGIN_PERCENT = 130n;
/** Selects the largest tier, whatever the value. */
const ANY_VALUE = 10n ** 15n;
const LONGEST_BYTES = {
  eth_getTransactionReceipt: 8 * 1024 * 1024,
  eth_getBlockByNumber: 2 * 1024 * 1024,
  eth_getTransactionByHash: 1024 * 1024,
};

/** `agree` endpoints must say the same. */
export function evmOutgoing({
  chain,
  endpoints: urls,
  agree,
  log,
  metrics,
  clock,
}: EvmOutgoingOptions): Promise<OutgoingTransfers> {
  const endpoints = urls.map((url, index) => {
    const number = index + 1;
    const client = new EndpointClient({
      chain: chain.name,
      number,
      url: new URL(url),
      clock,
      metrics,
      longestBytes: LONGEST_BYTES,
    });
    return new OutgoingEndpoint({ chain, number, identity: String(chain.chainId), client, clock, log });
  });
  return Promise.resolve(new EvmOutgoing(chain, new OutgoingQuorum(endpoints, agree, clock)));
}

class EvmOutgoing implements OutgoingTransfers {
  constructor(
    private readonly facts: EvmChain,
    private readonly quorum: OutgoingQuorum<OutgoingEndpoint>,
  ) {}

  get chain(): string {
    return this.facts.name;
  }

  nextPlace(from: string, until: number): Promise<NextPlace> {
    return this.quorum.within(until, async () => {
      const nonce = this.quorum.reached(await this.quorum.ask((endpoint) => endpoint.nonce(from)), (told) =>
        BigInt(told),
      );
      return nonce.kind === 'trouble' ? nonce : { kind: 'place', place: nonce.value };
    });
  }

  prepare(order: TransferOrder, place: bigint | null, until: number): Promise<Preparation> {
    return this.quorum.within(until, () => this.put(order, place));
  }

  broadcast({ raw }: SignedTransfer, until: number): Promise<Broadcast> {
    return this.quorum.within<Broadcast>(until, async () => {
      const told = await this.quorum.ask((endpoint) => endpoint.send(raw));
      if (told.some((one) => one.kind === 'told' && one.value === 'given')) return { kind: 'given' };
      return told.some(({ kind }) => kind === 'told')
        ? { kind: 'refused', reason: 'no endpoint accepts it' }
        : this.quorum.tooFew(told);
    });
  }

  fate(unsigned: UnsignedTransfer, transactionId: string | null, until: number): Promise<TransferFate> {
    return this.quorum.within(until, async () => {
      const seen = transactionId === null ? undefined : await this.inBlock(unsigned, transactionId);
      return seen ?? this.outOfBlocks(unsigned, transactionId);
    });
  }

  close(): Promise<void> {
    return this.quorum.close();
  }

  private async put(order: TransferOrder, place: bigint | null): Promise<Preparation> {
    const token = tokenAt(this.facts, order.token);
    if (token === undefined || place === null)
      throw new TypeError('a transfer on an EVM chain is of a listed token, and has a nonce');
    const data = transferData(order.to, order.amountMinor);
    const [prices, purses, estimates] = await Promise.all([
      this.quorum.ask((endpoint) => endpoint.prices()),
      this.quorum.ask((endpoint) => endpoint.purse(order.from, token.address)),
      this.quorum.ask((endpoint) => endpoint.estimate(order.from, token.address, data)),
    ]);
    const tokens = this.quorum.reached(purses, ({ tokenMinor }: Purse) => tokenMinor);
    if (tokens.kind === 'trouble') return tokens;
    const needs = order.amountMinor + order.reserved.tokenMinor;
    if (tokens.value < needs) return { kind: 'short', of: 'token', needsMinor: needs, hasMinor: tokens.value };
    if (estimates.filter((one) => one.kind === 'told' && one.value.kind === 'reverts').length >= this.quorum.agree)
      return { kind: 'refused', reason: 'the token would not be moved to this address' };
    const gas = this.quorum.reached(estimates.map(gasOf), (told) => told);
    if (gas.kind === 'trouble') return gas;
    const bid = this.bid(prices, order.replaces);
    if ('kind' in bid) return bid;
    const gasLimit = (gas.value * GAS_MARGIN_PERCENT) / 100n;
    if (gasLimit > MOST_GAS) return { kind: 'trouble', reason: `a transfer would take ${String(gas.value)} gas` };
    const transfer = transferOf(this.facts, order, token, place, gasLimit, bid);
    const coins = this.quorum.reached(purses, ({ feeMinor }: Purse) => feeMinor);
    if (coins.kind === 'trouble') return coins;
    const fees = BigInt(transfer.mostFeeMinor) + order.reserved.feeMinor;
    return coins.value < fees
      ? { kind: 'short', of: 'fee', needsMinor: fees, hasMinor: coins.value }
      : { kind: 'ready', transfer, cost: costOf(transfer) };
  }

  private bid(prices: readonly Told<GasPrices>[], replaces?: UnsignedTransfer): FeeBid | OutgoingTrouble {
    const told = prices.flatMap((one) => (one.kind === 'told' ? [one.value] : []));
    const price = this.quorum.reached(prices, (one) => one.price);
    if (price.kind === 'trouble') return price;
    const baseFee = told.some((one) => one.baseFee !== null)
      ? this.quorum.reached(prices, (one) => one.baseFee ?? 0n)
      : null;
    const tip = this.quorum.reached(prices, (one) => one.tip);
    if (baseFee?.kind === 'trouble' || tip.kind === 'trouble') return this.quorum.tooFew(prices);
    const bid = feeBid(
      this.facts.fees.mostPerUnit,
      { baseFee: baseFee?.value ?? null, price: price.value, tip: tip.value },
      replaces === undefined ? undefined : bidOf(replaces),
    );
    return bid ?? { kind: 'trouble', reason: 'gas costs more than our limit' };
  }

  /** undefined: agreed to be in no block. */
  private async inBlock(
    { from, to }: Pick<UnsignedTransfer, 'from' | 'to'>,
    transactionId: string,
  ): Promise<TransferFate | undefined> {
    const sighting = await this.quorum.look(transactionId, to);
    if (sighting.kind === 'trouble') return { kind: 'trouble', reason: sighting.reason };
    if (sighting.kind === 'not_found') return undefined;
    const { number, hash } = sighting.block;
    const block = { number, hash };
    if (!isFinal(this.facts.finality, ANY_VALUE, sighting.heights, number)) return { kind: 'included', block };
    // A token may fail without a revert: only its event proves the transfer.
    const moved =
      sighting.kind === 'found' && sighting.transfers.some((one) => one.from.toLowerCase() === from.toLowerCase());
    return { kind: moved ? 'final' : 'failed', block };
  }

  private async outOfBlocks(
    { from, to, place }: UnsignedTransfer,
    transactionId: string | null,
  ): Promise<TransferFate> {
    const told = await this.quorum.ask((endpoint) =>
      endpoint.whereabouts(transactionId, from, Number(place), (heights) => finalHeight(this.facts, heights)),
    );
    const known = told.flatMap((one) => (one.kind === 'told' ? [one.value] : []));
    if (known.some(({ isMined }) => isMined))
      return { kind: 'trouble', reason: 'one endpoint has it in a block that the others do not have' };
    if (known.some(({ isPooled }) => isPooled)) return { kind: 'waiting' };
    if (known.length < this.quorum.agree) return this.quorum.tooFew(told);
    if (known.filter(({ isOvertaken }) => isOvertaken).length < this.quorum.agree) return { kind: 'unknown' };
    // Without a signature the id is unknown; the nonce's user may be this one.
    if (transactionId === null)
      return {
        kind: 'unclear',
        reason: 'a final transaction used its nonce, perhaps this one',
        found: null,
        alike: [],
      };
    // It may have been included meanwhile. If not, the final use of its nonce by another one proves it dead.
    const again = await this.inBlock({ from, to }, transactionId);
    return again ?? { kind: 'dead', reason: 'another transaction used its nonce and is final' };
  }
}

/** Below zero: none. */
function finalHeight({ finality }: EvmChain, { latest, finalized }: ChainHeights): number {
  const { tag, minDepth, depthWithoutTag } = finalityTier(finality, ANY_VALUE);
  const byDepth = latest - minDepth;
  if (tag === null) return byDepth;
  if (finalized !== null) return Math.min(byDepth, finalized);
  return depthWithoutTag === null ? -1 : Math.min(byDepth, latest - depthWithoutTag);
}

function gasOf(told: Told<GasEstimate>): Told<bigint> {
  if (told.kind === 'nothing') return told;
  return told.value.kind === 'gas'
    ? { kind: 'told', value: told.value.gas }
    : { kind: 'nothing', why: 'says that it reverts' };
}

function bidOf({ terms }: UnsignedTransfer): FeeBid {
  const wei = (name: string): bigint => BigInt(terms[name] ?? 0);
  return (terms['gas_price'] ?? null) !== null
    ? { gasPrice: wei('gas_price') }
    : { maxFeePerGas: wei('max_fee_per_gas'), maxPriorityFeePerGas: wei('max_priority_fee_per_gas') };
}

function transferOf(
  { name }: EvmChain,
  order: TransferOrder,
  token: { readonly symbol: string; readonly decimals: number },
  place: bigint,
  gasLimit: bigint,
  bid: FeeBid,
): UnsignedTransfer {
  const readable = {
    version: 1 as const,
    reference: order.reference,
    chain: name,
    from: order.from,
    to: order.to,
    token: order.token,
    symbol: token.symbol,
    decimals: token.decimals,
    amountMinor: String(order.amountMinor),
    place: String(place),
    terms: {
      gas_limit: String(gasLimit),
      max_fee_per_gas: 'maxFeePerGas' in bid ? String(bid.maxFeePerGas) : null,
      max_priority_fee_per_gas: 'maxFeePerGas' in bid ? String(bid.maxPriorityFeePerGas) : null,
      gas_price: 'gasPrice' in bid ? String(bid.gasPrice) : null,
    },
  };
  const transaction = meantTransaction(readable);
  return {
    ...readable,
    mostFeeMinor: String(mostFeeOf(transaction)),
    expiresAt: null,
    payload: transaction.unsignedSerialized,
  };
}
