import { createHash, randomBytes } from 'node:crypto';

import { encodeBase58 } from '../../solana/base58.js';
import type { Journal } from './journal.js';
import type { Execution, Machine } from './machine.js';
import { SlotClock, type Anchor } from './slot-clock.js';
import type { AccountState } from './token-accounts.js';
import { allKeys, takeApart, type WireTransaction } from './wire-transaction.js';

export interface Included extends Execution {
  readonly signature: string;
  readonly slot: number;
  /** Base64. */
  readonly raw: string;
}

export type Commitment = 'processed' | 'confirmed' | 'finalized';

export type LedgerEntry =
  | { readonly kind: 'begin'; readonly seed: string; readonly anchor: Anchor }
  | { readonly kind: 'slots'; readonly anchor: Anchor; readonly paused: boolean }
  | { readonly kind: 'finality'; readonly lagSlots: number; readonly floor: number; readonly stalled: boolean }
  | { readonly kind: 'accounts'; readonly accounts: Readonly<Record<string, AccountState | null>> }
  | { readonly kind: 'transaction'; readonly transaction: Included }
  | { readonly kind: 'waiting'; readonly raw: string; readonly signed: boolean }
  | { readonly kind: 'fork'; readonly fromSlot: number };

/** Slots until final. */
export const FINALITY_LAG_SLOTS = 31;
/** Blocks in which a blockhash is usable. */
export const BLOCKHASH_BLOCKS = 150;
const FIRST_SLOT = 447_552_000;
/** Real chains skip slots; this difference exposes code that confuses slot and height. */
const SLOTS_WITHOUT_BLOCK = 21_000_000;

/** Each change is in the journal before it is reported, and a restart uses only the journal. */
export class SandboxLedger {
  private seed = '';
  private slots!: SlotClock;
  private finality: { lagSlots: number; floor: number; stalled: boolean } = {
    lagSlots: FINALITY_LAG_SLOTS,
    floor: 0,
    stalled: false,
  };
  private forks: number[] = [];
  private transactions: Included[] = [];
  private waiting: { readonly raw: string; readonly signed: boolean }[] = [];
  private readonly bySignature = new Map<string, Included>();
  private readonly byAddress = new Map<string, Included[]>();

  constructor(
    private readonly journal: Journal<LedgerEntry>,
    private readonly machine: Machine,
    private readonly now: () => number,
  ) {
    if (journal.entries.length === 0)
      this.note({ kind: 'begin', seed: randomBytes(16).toString('hex'), anchor: { slot: FIRST_SLOT, atMs: now() } });
    else for (const entry of journal.entries) this.take(entry);
  }

  get isStalled(): boolean {
    return this.slots.isPaused;
  }

  get blocksToFinality(): number {
    return this.finality.lagSlots;
  }

  slotAt(commitment: Commitment): number {
    const { slot } = this.slots;
    if (commitment !== 'finalized') return slot;
    const { lagSlots, floor, stalled } = this.finality;
    return stalled ? floor : Math.max(floor, slot - lagSlots);
  }

  heightOf(slot: number): number {
    return slot - SLOTS_WITHOUT_BLOCK;
  }

  timeOf(slot: number): number {
    return this.slots.timeOf(slot);
  }

  /** A fork changes the hashes of its slots. */
  blockhash(slot: number): string {
    const forks = this.forks.filter((from) => from <= slot).length;
    return encodeBase58(
      createHash('sha256')
        .update(`${this.seed} ${String(slot)} ${String(forks)}`)
        .digest(),
    );
  }

  /** undefined if unknown or too old. */
  slotOfBlockhash(hash: string, commitment: Commitment = 'processed'): number | undefined {
    const newest = this.slotAt(commitment);
    for (let slot = newest; slot >= this.slots.slot - BLOCKHASH_BLOCKS; slot -= 1)
      if (this.blockhash(slot) === hash) return slot;
    return undefined;
  }

  transaction(signature: string): Included | undefined {
    return this.bySignature.get(signature);
  }

  /** Oldest first. */
  transactionsOf(address: string): readonly Included[] {
    return this.byAddress.get(address) ?? [];
  }

  /** Oldest first. */
  transactionsIn(slot: number): readonly Included[] {
    return this.transactions.filter((one) => one.slot === slot);
  }

  account(address: string): AccountState | undefined {
    return this.machine.account(address);
  }

  /** Creates mints and balances from nothing. */
  put(accounts: Readonly<Record<string, AccountState | null>>): void {
    this.note({ kind: 'accounts', accounts });
  }

  /** In the newest slot; kept only if `keep` agrees. */
  execute(
    transaction: WireTransaction,
    signed: boolean,
    keep: (execution: Execution) => boolean,
  ): Included | Execution {
    const { slot } = this.slots;
    const execution = this.machine.execute(transaction, { slot, timeMs: this.timeOf(slot) }, signed);
    if (!keep(execution)) {
      this.machine.undo(execution);
      return execution;
    }
    const included: Included = {
      signature: transaction.signatures[0],
      slot,
      raw: Buffer.from(transaction.raw).toString('base64'),
      ...execution,
    };
    this.journal.add({ kind: 'transaction', transaction: included });
    this.index(included);
    return included;
  }

  /** While stalled. */
  wait(transaction: WireTransaction, signed: boolean): void {
    this.note({ kind: 'waiting', raw: Buffer.from(transaction.raw).toString('base64'), signed });
  }

  advance(slots: number): void {
    this.journal.add({ kind: 'slots', anchor: this.slots.advance(slots), paused: this.slots.isPaused });
  }

  stall(on: boolean): void {
    if (on === this.isStalled) return;
    this.journal.add({ kind: 'slots', anchor: on ? this.slots.pause() : this.slots.resume(), paused: on });
    if (on) return;
    const waited = this.waiting;
    this.waiting = [];
    for (const { raw, signed } of waited) this.execute(takeApart(Buffer.from(raw, 'base64')), signed, isExecuted);
  }

  /** Final slots stay final. */
  setFinality({
    lagSlots = this.finality.lagSlots,
    stalled = this.finality.stalled,
  }: {
    readonly lagSlots?: number;
    readonly stalled?: boolean;
  }): void {
    this.note({ kind: 'finality', lagSlots, stalled, floor: this.slotAt('finalized') });
  }

  /** Drops all from `fromSlot` on; returns them, newest first. Throws if it is final. */
  fork(fromSlot: number): readonly Included[] {
    if (fromSlot <= this.slotAt('finalized')) throw new RangeError('what is final stays');
    const dropped = this.transactions.filter(({ slot }) => slot >= fromSlot).reverse();
    this.note({ kind: 'fork', fromSlot });
    return dropped;
  }

  close(): void {
    this.journal.close();
  }

  private note(entry: LedgerEntry): void {
    this.journal.add(entry);
    this.take(entry);
  }

  private take(entry: LedgerEntry): void {
    switch (entry.kind) {
      case 'begin':
        this.seed = entry.seed;
        this.slots = new SlotClock([entry.anchor], this.now);
        return;
      case 'slots':
        this.slots.restore(entry.anchor, entry.paused);
        if (!entry.paused) this.waiting = [];
        return;
      case 'finality':
        this.finality = entry;
        return;
      case 'accounts':
        for (const [address, state] of Object.entries(entry.accounts)) this.machine.put(address, state);
        return;
      case 'transaction':
        for (const [address, state] of Object.entries(entry.transaction.after)) this.machine.put(address, state);
        this.index(entry.transaction);
        return;
      case 'waiting':
        this.waiting.push(entry);
        return;
      case 'fork':
        this.takeBack(entry.fromSlot);
        return;
    }
  }

  private takeBack(fromSlot: number): void {
    this.forks.push(fromSlot);
    for (const dropped of this.transactions.filter(({ slot }) => slot >= fromSlot).reverse()) {
      this.machine.undo(dropped);
      this.bySignature.delete(dropped.signature);
      for (const key of this.keysOf(dropped))
        this.byAddress.set(
          key,
          (this.byAddress.get(key) ?? []).filter((one) => one !== dropped),
        );
    }
    this.transactions = this.transactions.filter(({ slot }) => slot < fromSlot);
  }

  private index(included: Included): void {
    this.transactions.push(included);
    this.bySignature.set(included.signature, included);
    for (const key of this.keysOf(included)) {
      const known = this.byAddress.get(key);
      if (known === undefined) this.byAddress.set(key, [included]);
      else known.push(included);
    }
  }

  private keysOf({ raw, loaded }: Included): ReadonlySet<string> {
    return new Set(allKeys(takeApart(Buffer.from(raw, 'base64')), loaded));
  }
}

/** Failed instructions are in a block and pay a fee. */
export function isExecuted({ err }: Pick<Execution, 'err'>): boolean {
  return err === null || typeof err !== 'string';
}
