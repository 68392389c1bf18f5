import {
  costOf,
  type Broadcast,
  type NextPlace,
  type OutgoingTransfers,
  type Preparation,
  type SignedTransfer,
  type TransferFate,
  type TransferOrder,
  type TransferSigner,
  type UnsignedTransfer,
} from '@vuka/chains';
import { fail, ok } from '@vuka/domain';

import { hashOf } from '../testing/offramp.spec-support.js';

export const NOW = new Date('2026-11-20T10:00:00.000Z');
export const WALLET = '0x00000000000000000000000000000000000000F1';
export const SECRET = 'secret';

/** Broadcasts wait in the pool until `mine` finalises them. */
export class HandChain implements OutgoingTransfers {
  public nonce = 7n;
  public short: 'token' | 'fee' | undefined;
  public refuses = false;
  public isDown = false;
  /** Drops broadcasts. */
  public isDeaf = false;
  public reverts = false;
  /** Minor units of the native coin; rent is included. */
  public cost: bigint | null = null;
  public rent = 0n;
  public livesForMs: number | null = null;
  /** Pools refuse lower bids. */
  public leastFee = 0;
  /** Forgets transfers, but knows which nonces are used. */
  public isForgetful = false;
  /** Overrides every fate. */
  public says: TransferFate | undefined;
  public readonly broadcasts: SignedTransfer[] = [];
  /** By nonce. */
  public readonly final = new Map<bigint, { id: string; order: UnsignedTransfer; moved: boolean }>();
  public readonly pool = new Map<bigint, { id: string; order: UnsignedTransfer }>();
  private readonly made = new Map<string, UnsignedTransfer>();

  public constructor(
    private readonly now: () => number = () => NOW.getTime(),
    public readonly chain = 'CELO',
  ) {}

  public async nextPlace(): Promise<NextPlace> {
    return this.isDown ? { kind: 'trouble', reason: 'down' } : { kind: 'place', place: this.nonce };
  }

  public async prepare(order: TransferOrder, place: bigint | null): Promise<Preparation> {
    if (this.isDown) return { kind: 'trouble', reason: 'down' };
    if (this.short !== undefined) return { kind: 'short', of: this.short, needsMinor: 2n, hasMinor: 1n };
    if (this.refuses) return { kind: 'refused', reason: 'blacklisted' };
    const { reserved: _reserved, replaces, amountMinor, ...rest } = order;
    const fee = replaces === undefined ? 1 : Number(replaces.terms['fee']) + 1;
    const payload = `${order.reference} ${String(place)} ${String(fee)}`;
    const ends = { expiresAt: this.livesForMs === null ? null : new Date(this.now() + this.livesForMs).toISOString() };
    const costs = { mostFeeMinor: String(this.cost ?? fee), terms: { fee, account_rent: String(this.rent) } };
    const transfer = {
      version: 1 as const,
      ...rest,
      chain: this.chain,
      symbol: 'USDC',
      decimals: 6,
      amountMinor: String(amountMinor),
      place: String(place),
      ...ends,
      ...costs,
      payload,
    };
    return { kind: 'ready', transfer, cost: costOf(transfer) };
  }

  public async broadcast(signed: SignedTransfer): Promise<Broadcast> {
    this.broadcasts.push(signed);
    if (this.isDown || this.isDeaf) return { kind: 'trouble', reason: 'down' };
    const order = this.made.get(signed.transactionId);
    if (order === undefined) throw new Error('never signed');
    const place = BigInt(order.place ?? 0);
    if (Number(order.terms['fee']) < this.leastFee) return { kind: 'refused', reason: 'underpriced' };
    if (place < this.nonce) return { kind: 'refused', reason: 'nonce too low' };
    this.pool.set(place, { id: signed.transactionId, order });
    return { kind: 'given' };
  }

  public async fate({ place: text }: UnsignedTransfer, transactionId: string | null): Promise<TransferFate> {
    if (this.isDown) return { kind: 'trouble', reason: 'down' };
    if (this.says !== undefined) return this.says;
    const place = BigInt(text ?? 0);
    const final = this.final.get(place);
    const block = { number: 1, hash: hashOf(1) };
    if (final !== undefined && transactionId === null)
      return { kind: 'unclear', reason: 'nonce used', found: null, alike: [] };
    if (final !== undefined && this.isForgetful) return { kind: 'dead', reason: 'nonce used' };
    if (final !== undefined)
      return final.id !== transactionId
        ? { kind: 'dead', reason: 'nonce used' }
        : { kind: final.moved ? 'final' : 'failed', block };
    return this.pool.get(place)?.id === transactionId && transactionId !== null
      ? { kind: 'waiting' }
      : { kind: 'unknown' };
  }

  public async close(): Promise<void> {
    // Nothing is open.
  }

  /** In nonce order. */
  public mine(): void {
    for (let next = this.pool.get(this.nonce); next !== undefined; next = this.pool.get(this.nonce)) {
      this.final.set(this.nonce, { ...next, moved: !this.reverts });
      this.pool.delete(this.nonce);
      this.nonce += 1n;
    }
  }

  /** A foreign transfer leaves the wallet. */
  public overtake(): void {
    this.pool.delete(this.nonce);
    this.final.set(this.nonce, { id: hashOf(999), order: {} as UnsignedTransfer, moved: true });
    this.nonce += 1n;
  }

  public get paid(): string[] {
    return [...this.final.values()].flatMap(({ order, moved }) =>
      moved && order.reference !== undefined ? [`${order.reference} ${order.amountMinor} ${order.to}`] : [],
    );
  }

  public readonly signer: TransferSigner = {
    addressOf: () => ok(WALLET),
    sign: (unsigned, secret) =>
      secret === SECRET ? this.signer.verify(unsigned, `signed ${unsigned.payload}`) : fail('wrong key'),
    verify: (unsigned, raw) => {
      if (raw !== `signed ${unsigned.payload}`) return fail('another one was signed');
      const transactionId = hashOf(
        [...raw].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000_007, 7),
      );
      this.made.set(transactionId, unsigned);
      return ok({ reference: unsigned.reference, raw, transactionId });
    },
  };
}
