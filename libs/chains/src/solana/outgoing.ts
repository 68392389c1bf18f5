import { isFinal, tokenAt, type SolanaChain, type Token } from '@vuka/domain';

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
import { OutgoingQuorum } from '../outgoing-quorum.js';
import { EndpointClient } from '../reader/endpoint-client.js';

import { LONGEST_BYTES } from './solana-reader.js';
import { OurAccounts } from './our-accounts.js';
import { OutgoingEndpoint, type Purse, type Recipient } from './outgoing-endpoint.js';
import { programOf, tokenAccountOf } from './token-programs.js';
import { meantMessage, mostFeeOf } from './transfer-signer.js';

type SolanaOutgoingOptions = OutgoingOptions & { readonly chain: SolanaChain };

/** Lifetime of a blockhash. */
const BLOCKHASH_BLOCKS = 150;
/** Extra wait before `dead`, because machines may lag. */
const DEAD_AFTER_BLOCKS = BLOCKHASH_BLOCKS;
/** Enough for account and transfer; the bid is about 0.00001 SOL. */
const COMPUTE_UNIT_LIMIT = '150000';
const COMPUTE_UNIT_PRICE = 50_000n;
/** Tolerance for clocks and version age. */
const MARGIN_MS = 10 * 60_000;
const ANY_VALUE = 10n ** 15n;

/** Usable for about a minute, by its blockhash. */
export function solanaOutgoing({
  chain,
  endpoints: urls,
  agree,
  log,
  metrics,
  clock,
}: SolanaOutgoingOptions): Promise<OutgoingTransfers> {
  const accounts = new OurAccounts(chain.tokens);
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
    return new OutgoingEndpoint({ chain, number, identity: chain.genesisHash, client, clock, log }, accounts);
  });
  return Promise.resolve(
    new SolanaOutgoing(chain, new OutgoingQuorum(endpoints, agree, clock), () => clock.now().getTime()),
  );
}

class SolanaOutgoing implements OutgoingTransfers {
  constructor(
    private readonly facts: SolanaChain,
    private readonly quorum: OutgoingQuorum<OutgoingEndpoint>,
    private readonly now: () => number,
  ) {}

  get chain(): string {
    return this.facts.name;
  }

  nextPlace(): Promise<NextPlace> {
    return Promise.resolve({ kind: 'place', place: null });
  }

  prepare(order: TransferOrder, place: bigint | null, until: number): Promise<Preparation> {
    const token = tokenAt(this.facts, order.token);
    if (token === undefined || place !== null)
      throw new TypeError('a transfer on Solana is of a listed token, and has no place');
    return this.quorum.within(until, () => this.put(order, token));
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

  private async put(order: TransferOrder, token: Token): Promise<Preparation> {
    const [source, target] = [order.from, order.to].map((owner) =>
      tokenAccountOf(owner, token.address, programOf(token)),
    ) as [string, string];
    const [purses, recipients, lifetime] = await Promise.all([
      this.quorum.ask((endpoint) => endpoint.purse(order.from, source)),
      this.quorum.ask((endpoint) => endpoint.recipient(order.to, target)),
      this.lifetime(),
    ]);
    const tokens = this.quorum.reached(purses, ({ tokenMinor }: Purse) => tokenMinor);
    if (tokens.kind === 'trouble') return tokens;
    const needs = order.amountMinor + order.reserved.tokenMinor;
    if (tokens.value < needs) return { kind: 'short', of: 'token', needsMinor: needs, hasMinor: tokens.value };
    const objections = recipients.flatMap((one) =>
      one.kind === 'told' && one.value.objection !== null ? [one.value.objection] : [],
    );
    if (objections[0] !== undefined && objections.length >= this.quorum.agree)
      return { kind: 'refused', reason: objections[0] };
    const rent = this.quorum.reached(recipients, ({ rentMinor }: Recipient) => rentMinor);
    if (rent.kind === 'trouble') return rent;
    if (lifetime.kind === 'trouble') return lifetime;
    const transfer = this.transferOf(order, token, rent.value, lifetime);
    const coins = this.quorum.reached(purses, ({ feeMinor }: Purse) => feeMinor);
    if (coins.kind === 'trouble') return coins;
    const fees = BigInt(transfer.mostFeeMinor) + order.reserved.feeMinor;
    return coins.value < fees
      ? { kind: 'short', of: 'fee', needsMinor: fees, hasMinor: coins.value }
      : { kind: 'ready', transfer, cost: costOf(transfer) };
  }

  /**
   * The last height must never be too low, or a transfer would count as dead but still be included. One of
   * any `agree` endpoints is honest, and the blockhash is not above its height.
   */
  private async lifetime(): Promise<
    { readonly kind: 'lifetime'; readonly blockhash: string; readonly lastHeight: number } | OutgoingTrouble
  > {
    const told = await this.quorum.ask((endpoint) => endpoint.blockhash());
    // The first endpoint's blockhash may be too new for others.
    for (const blockhash of new Set(told.flatMap((one) => (one.kind === 'told' ? [one.value] : [])))) {
      const heights = (await this.quorum.ask((endpoint) => endpoint.heightWith(blockhash))).flatMap((one) =>
        one.kind === 'told' && one.value !== null ? [one.value] : [],
      );
      const height = heights.sort((one, other) => one - other)[this.quorum.agree - 1];
      if (height !== undefined) return { kind: 'lifetime', blockhash, lastHeight: height + BLOCKHASH_BLOCKS };
    }
    return told.some(({ kind }) => kind === 'told')
      ? { kind: 'trouble', reason: 'too few endpoints know one blockhash' }
      : this.quorum.tooFew(told);
  }

  private transferOf(
    { reference, from, to, amountMinor }: TransferOrder,
    { address, symbol, decimals }: Token,
    rent: bigint,
    { blockhash, lastHeight }: { readonly blockhash: string; readonly lastHeight: number },
  ): UnsignedTransfer {
    const { mostPerUnit } = this.facts.fees;
    const readable = {
      version: 1 as const,
      reference,
      chain: this.facts.name,
      from,
      to,
      token: address,
      symbol,
      decimals,
      amountMinor: String(amountMinor),
      place: null,
      terms: {
        blockhash,
        last_height: lastHeight,
        compute_unit_limit: COMPUTE_UNIT_LIMIT,
        compute_unit_price: String(COMPUTE_UNIT_PRICE < mostPerUnit ? COMPUTE_UNIT_PRICE : mostPerUnit),
        account_rent: String(rent),
      },
    };
    const expiresAt = new Date(this.now() + BLOCKHASH_BLOCKS * this.facts.blockMs).toISOString();
    return {
      ...readable,
      mostFeeMinor: String(mostFeeOf(readable)),
      expiresAt,
      payload: meantMessage(readable).toString('base64'),
    };
  }

  /** undefined: agreed to be in no block. */
  private async inBlock(
    { from, to, token }: UnsignedTransfer,
    transactionId: string,
  ): Promise<TransferFate | undefined> {
    const sighting = await this.quorum.look(transactionId, to);
    if (sighting.kind === 'trouble') return { kind: 'trouble', reason: sighting.reason };
    if (sighting.kind === 'not_found') return undefined;
    const { number, hash } = sighting.block;
    const block = { number, hash };
    if (!isFinal(this.facts.finality, ANY_VALUE, sighting.heights, number)) return { kind: 'included', block };
    const moved =
      sighting.kind === 'found' && sighting.transfers.some((one) => one.from === from && one.token === token);
    return { kind: moved ? 'final' : 'failed', block };
  }

  private async outOfBlocks(unsigned: UnsignedTransfer, transactionId: string | null): Promise<TransferFate> {
    const lastHeight = Number(unsigned.terms['last_height']);
    if (!Number.isSafeInteger(lastHeight)) throw new TypeError('a transfer on Solana has a last height');
    const told = await this.quorum.ask((endpoint) => endpoint.isGone(transactionId, lastHeight + DEAD_AFTER_BLOCKS));
    const known = told.flatMap((one) => (one.kind === 'told' ? [one.value] : []));
    if (known.length < this.quorum.agree) return this.quorum.tooFew(told);
    // If gone, the block check is repeated: an endpoint may have it by now.
    if (known.filter((isGone) => isGone).length < this.quorum.agree) return { kind: 'unknown' };
    if (transactionId === null) return this.amongDepartures(unsigned);
    const again = await this.inBlock(unsigned, transactionId);
    return again ?? { kind: 'dead', reason: 'its blockhash has expired in final blocks, and it is in no block' };
  }

  /** Without a signature the id is unknown, so the wallet's signatures are scanned. One find is enough. */
  private async amongDepartures(unsigned: UnsignedTransfer): Promise<TransferFate> {
    const token = tokenAt(this.facts, unsigned.token);
    if (token === undefined || unsigned.expiresAt === null)
      throw new TypeError('a transfer on Solana is of a listed token, and ends');
    const madeAtMs = Date.parse(unsigned.expiresAt) - BLOCKHASH_BLOCKS * this.facts.blockMs;
    const target = tokenAccountOf(unsigned.to, token.address, programOf(token));
    const told = await this.quorum.ask((endpoint) => endpoint.departures(unsigned, target, madeAtMs - MARGIN_MS));
    const known = told.flatMap((one) => (one.kind === 'told' ? [one.value] : []));
    const found = known.find((one) => one.found !== null)?.found ?? null;
    if (found !== null)
      return { kind: 'unclear', reason: 'it is on the chain, but its signature was never imported', found, alike: [] };
    if (known.length < this.quorum.agree) return this.quorum.tooFew(told);
    const isWhole = known.filter((one) => one.isWhole).length >= this.quorum.agree;
    if (!isWhole)
      return {
        kind: 'unclear',
        reason: 'its blockhash has expired, but too few endpoints can list all transfers of the wallet since then',
        found: null,
        alike: [],
      };
    const alike = [...new Set(known.flatMap((one) => one.alike))];
    if (alike.length > 0)
      return {
        kind: 'unclear',
        reason: 'another transaction of the wallet has sent the same amount to the same recipient since then',
        found: null,
        alike,
      };
    return {
      kind: 'dead',
      reason: 'its blockhash has expired in final blocks, and it is not among the transfers of the wallet',
    };
  }
}
