import { isFinal, tokenAt, type StellarChain, type Token } from '@vuka/domain';

import {
  costOf,
  type Broadcast,
  type NextPlace,
  type OutgoingOptions,
  type OutgoingTransfers,
  type Preparation,
  type SignedTransfer,
  type TransferFate,
  type TransferOrder,
  type UnsignedTransfer,
} from '../outgoing.js';
import { OutgoingQuorum } from '../outgoing-quorum.js';
import { EndpointClient } from '../reader/endpoint-client.js';

import { LONGEST_BYTES } from './horizon.js';
import { StellarOutgoingEndpoint, type Whereabouts } from './outgoing-endpoint.js';
import { expiryOf, hashOf, meantTransaction, transactionToSign, xdrOf } from './transfer-signer.js';

type StellarOutgoingOptions = OutgoingOptions & { readonly chain: StellarChain };

/** Time for an offline signer; nothing may replace it until then. */
const VALID_FOR_MS = 24 * 3_600_000;
/** Minor units of the native coin. */
const LEAST_FEE = 1_000n;
/** A closed ledger is final for any value. */
const ANY_VALUE = 10n ** 15n;

/** `agree` Horizons must say the same. Horizon does not report pending transactions. */
export function stellarOutgoing({
  chain,
  endpoints: urls,
  agree,
  log,
  metrics,
  clock,
}: StellarOutgoingOptions): Promise<OutgoingTransfers> {
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
    return new StellarOutgoingEndpoint({ chain, number, identity: chain.networkPassphrase, client, clock, log });
  });
  return Promise.resolve(
    new StellarOutgoing(chain, new OutgoingQuorum(endpoints, agree, clock), () => clock.now().getTime()),
  );
}

class StellarOutgoing implements OutgoingTransfers {
  constructor(
    private readonly facts: StellarChain,
    private readonly quorum: OutgoingQuorum<StellarOutgoingEndpoint>,
    private readonly now: () => number,
  ) {}

  get chain(): string {
    return this.facts.name;
  }

  nextPlace(from: string, until: number): Promise<NextPlace> {
    return this.quorum.within<NextPlace>(until, async () => {
      const sequence = this.quorum.reached(
        await this.quorum.ask((endpoint) => endpoint.purse(from, '')),
        (purse) => purse.sequence,
      );
      if (sequence.kind === 'trouble') return sequence;
      return sequence.value === 0n
        ? { kind: 'trouble', reason: 'the wallet does not exist on the network yet' }
        : { kind: 'place', place: sequence.value + 1n };
    });
  }

  prepare(order: TransferOrder, place: bigint | null, until: number): Promise<Preparation> {
    const token = tokenAt(this.facts, order.token);
    if (token === undefined || place === null)
      throw new TypeError('a transfer on Stellar is of a listed token, and has a sequence number');
    return this.quorum.within(until, () => this.put(order, token, place));
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
    const meant = transactionToSign(unsigned);
    if (!meant.ok) throw new TypeError(meant.error);
    // The hash is known before signing: it may be found although no signature was handed in, and then people
    // decide.
    const hash = hashOf(meant.value);
    return this.quorum.within<TransferFate>(until, async () => {
      const fate =
        (await this.inLedger(unsigned, hash)) ??
        (await this.outOfLedgers(unsigned, hash, Number(meant.value.timeBounds?.maxTime) * 1_000));
      if (transactionId !== null) return fate;
      if (fate.kind === 'failed')
        return { kind: 'dead', reason: 'it failed in a ledger: no value moved, and its sequence number is used' };
      const isThere = fate.kind === 'included' || fate.kind === 'final';
      return isThere
        ? {
            kind: 'unclear',
            reason: 'it is on the chain, but its signature was never imported',
            found: hash,
            alike: [],
          }
        : fate;
    });
  }

  close(): Promise<void> {
    return this.quorum.close();
  }

  private async put(order: TransferOrder, token: Token, place: bigint): Promise<Preparation> {
    const {
      quorum,
      facts: {
        fees: { mostPerUnit },
      },
    } = this;
    const [refusals, purses, fees] = await Promise.all([
      quorum.ask((endpoint) => endpoint.refusal(order.to, order.token, order.amountMinor)),
      quorum.ask((endpoint) => endpoint.purse(order.from, order.token)),
      quorum.ask((endpoint) => endpoint.fee()),
    ]);
    const refused = refusals.flatMap((one) => (one.kind === 'told' && one.value !== null ? [one.value] : []));
    if (refused[0] !== undefined && refused.length >= quorum.agree) return { kind: 'refused', reason: refused[0] };
    if (refusals.filter((one) => one.kind === 'told' && one.value === null).length < quorum.agree)
      return quorum.tooFew(refusals);
    const [tokens, coins] = [
      quorum.reached(purses, ({ tokenMinor }) => tokenMinor),
      quorum.reached(purses, ({ feeMinor }) => feeMinor),
    ];
    if (tokens.kind === 'trouble') return tokens;
    if (coins.kind === 'trouble') return coins;
    const fee = quorum.reached(fees, (bid) => (bid > mostPerUnit ? mostPerUnit : bid < LEAST_FEE ? LEAST_FEE : bid));
    if (fee.kind === 'trouble') return fee;
    const [needs, needsForFees] = [order.amountMinor + order.reserved.tokenMinor, fee.value + order.reserved.feeMinor];
    if (tokens.value < needs) return { kind: 'short', of: 'token', needsMinor: needs, hasMinor: tokens.value };
    if (coins.value < needsForFees)
      return { kind: 'short', of: 'fee', needsMinor: needsForFees, hasMinor: coins.value };
    const transfer = this.transferOf(order, token, place, fee.value);
    return { kind: 'ready', transfer, cost: costOf(transfer) };
  }

  private transferOf(order: TransferOrder, { symbol, decimals }: Token, place: bigint, fee: bigint): UnsignedTransfer {
    const { reference, from, to, token, amountMinor } = order;
    const terms = { fee: String(fee), max_time: String(Math.floor((this.now() + VALID_FOR_MS) / 1_000)) };
    const readable = {
      version: 1 as const,
      reference,
      chain: this.chain,
      from,
      to,
      token,
      symbol,
      decimals,
      amountMinor: String(amountMinor),
      place: String(place),
      terms,
    };
    const transaction = meantTransaction(readable);
    return {
      ...readable,
      mostFeeMinor: transaction.fee,
      expiresAt: expiryOf(transaction),
      payload: xdrOf(transaction),
    };
  }

  /** undefined: agreed to be in no ledger. */
  private async inLedger({ from, to, token }: UnsignedTransfer, hash: string): Promise<TransferFate | undefined> {
    const sighting = await this.quorum.look(hash, to);
    if (sighting.kind === 'trouble') return sighting;
    if (sighting.kind === 'not_found') return undefined;
    const block = { number: sighting.block.number, hash: sighting.block.hash };
    if (!isFinal(this.facts.finality, ANY_VALUE, sighting.heights, block.number)) return { kind: 'included', block };
    const moved =
      sighting.kind === 'found' && sighting.transfers.some((one) => one.from === from && one.token === token);
    return { kind: moved ? 'final' : 'failed', block };
  }

  private async outOfLedgers(unsigned: UnsignedTransfer, hash: string, endsAtMs: number): Promise<TransferFate> {
    const told = await this.quorum.ask((endpoint) =>
      endpoint.whereabouts(hash, unsigned.from, BigInt(unsigned.place ?? 0), endsAtMs),
    );
    const known = told.flatMap((one) => (one.kind === 'told' ? [one.value] : []));
    if (known.length < this.quorum.agree) return this.quorum.tooFew(told);
    const agreed = (is: (one: Whereabouts) => boolean): boolean => known.filter(is).length >= this.quorum.agree;
    const [isOver, isUsed] = [agreed((one) => one.isOver), agreed(({ sequence }) => sequence !== 'unused')];
    // A sequence number unused after expiry proves that it never can be included; an absent transaction
    // proves nothing.
    const isUnused = agreed((one) => one.isOver && one.sequence === 'unused');
    const isOvertaken = agreed(({ sequence }) => sequence === 'of_another');
    if (!isOver && !isUsed) return { kind: 'unknown' };
    // It may have been included meanwhile; what excluded it is permanent.
    const again = await this.inLedger(unsigned, hash);
    if (again !== undefined) return again;
    if (isUnused)
      return {
        kind: 'dead',
        reason: 'a ledger has closed after its time was over, and its sequence number is not used',
      };
    if (isOvertaken) return { kind: 'dead', reason: 'another transaction used its sequence number and is final' };
    return isUsed
      ? {
          kind: 'unclear',
          reason: 'its sequence number is used, but too few endpoints remember by which transaction',
          found: null,
          alike: [],
        }
      : { kind: 'unknown' };
  }
}
