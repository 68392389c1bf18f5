import type { BlockReference } from '@vuka/domain';

import type { IncomingTransfer } from '../deposit-reader.js';
import { pageDigest } from '../reader/agreement.js';
import type { EndpointClient } from '../reader/endpoint-client.js';
import type { PageQuestion, PageTestimony } from '../reader/endpoint.js';
import { MalformedAnswerError, objectAt } from '../reader/json-values.js';
import { someAtOnce } from '../reader/some-at-once.js';

import type { OurAccounts } from './our-accounts.js';
import {
  cursorText,
  isLeftBehind,
  leaveBehind,
  rangeKey,
  readCursor,
  type LeftBehind,
  type Pass,
  type Range,
  type Spot,
  type Waiting,
} from './scan-cursor.js';
import { countAt, listAt, UnreadableError, type TransactionFacts } from './transaction.js';

/** Per page at share 1. */
const OWNERS = 2_048;
const LEFT_OVER = 64;
const TRANSACTIONS = 48;
const MOST_ACCOUNTS = 512;
const LOOKED_UP = 100;
const AT_ONCE = 8;
const FEW_SIGNATURES = 100;
const MOST_SIGNATURES = 1_000;
const MOST_CALLS = 10;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

export interface FinalTransactions {
  transaction(
    signature: string,
    accounts: ReadonlyMap<string, string>,
    commitment: 'finalized',
  ): Promise<TransactionFacts | undefined>;
  block(slot: number, commitment: 'finalized'): Promise<BlockReference | undefined>;
  timeAt(slot: number): Promise<number | null>;
  existing(accounts: readonly string[], reached: number): Promise<readonly string[] | undefined>;
}

interface Entry extends Spot {
  readonly failed: boolean;
}

interface Looked {
  readonly incomingTransfers: readonly IncomingTransfer[];
  readonly rest: Waiting | null;
  readonly unread: LeftBehind | null;
  readonly goesOn: boolean;
}

interface Part {
  readonly ranges: readonly Waiting[];
  readonly open: readonly Waiting[];
  readonly after: string | null;
  readonly isLast: boolean;
}

/**
 * A plain transfer does not name the owner, so each token account is queried. Only final data is read:
 * nothing is taken back, and honest endpoints return the same page.
 * An address added during a pass can only be paid above its end, so the next pass covers it. A missing
 * account never received anything, because ours are never closed.
 */
export class IncomingTransferPage {
  private readonly blocks = new Map<number, Promise<BlockReference>>();

  constructor(
    private readonly endpoint: FinalTransactions,
    private readonly client: EndpointClient,
    private readonly accounts: OurAccounts,
  ) {}

  async of({ cursor, addresses, heights, share }: PageQuestion): Promise<PageTestimony> {
    const { finalized } = heights;
    if (finalized === null) return { kind: 'nothing', why: 'no finality' };
    const known =
      cursor === null
        ? { from: finalized, to: null, after: null, busy: false, open: [], later: [] }
        : readCursor(cursor);
    if (cursor === null) return told([], known, { isAtHead: true, scannedTo: await this.endpoint.timeAt(finalized) });
    if (known.to === null && known.from >= finalized && known.later.length === 0)
      return told([], known, { isAtHead: true, scannedTo: null });
    const pass: Pass =
      known.to === null
        ? { ...known, to: Math.max(finalized, known.from), open: known.later, later: [] }
        : { ...known, to: known.to };
    const part = await this.nextOf(pass, await addresses(''), share);
    if (part === undefined) return { kind: 'nothing', why: 'lags' };
    const { ranges, open, after, isLast } = part;
    if (ranges.length > MOST_ACCOUNTS) return { kind: 'too_large' };
    const most = Math.max(1, Math.floor(TRANSACTIONS / share));
    const looked = await someAtOnce(ranges, AT_ONCE, (range) => this.lookAt(range, most, pass.to));
    const rests = looked.flatMap(({ rest }) => (rest === null ? [] : [rest]));
    const unread = looked.flatMap(({ unread: one }) => (one === null ? [] : [one]));
    const waiting = unread.reduce(leaveBehind, { open, later: [...pass.later, ...rests] });
    const busy = pass.busy || looked.some(({ goesOn }) => goesOn);
    const incomingTransfers = looked.flatMap(({ incomingTransfers: some }) => some);
    if (!isLast)
      return told(incomingTransfers, { ...pass, ...waiting, after, busy }, { isAtHead: false, scannedTo: null });
    // Unreadable transactions raised an alarm; they do not hold up `scannedTo`.
    const isWhole = waiting.later.every(isLeftBehind);
    return told(
      incomingTransfers,
      { from: pass.to, to: null, after: null, busy: false, open: [], later: waiting.later },
      { isAtHead: !busy, scannedTo: isWhole ? await this.endpoint.timeAt(pass.to) : null },
    );
  }

  /** Leftovers first, then by owner address. Undefined if the node lags. */
  private async nextOf(pass: Pass, addresses: readonly string[], share: number): Promise<Part | undefined> {
    const rest = [
      ...new Set(pass.after === null ? addresses : addresses.filter((address) => address > (pass.after ?? ''))),
    ].sort();
    if (pass.open.length > 0) {
      const most = Math.max(1, Math.floor(LEFT_OVER / share));
      const open = pass.open.slice(most);
      return {
        ranges: pass.open.slice(0, most),
        open,
        after: pass.after,
        isLast: open.length === 0 && rest.length === 0,
      };
    }
    const owners = rest.slice(0, Math.max(1, Math.floor(OWNERS / share)));
    const there = await this.existing(owners, pass.to);
    if (there === undefined) return undefined;
    // An unfinished range continues from its own place.
    const waiting = new Set(pass.later.filter((one) => !isLeftBehind(one)).map(rangeKey));
    const all = owners.flatMap((owner) =>
      [...this.accounts.of(owner)]
        .filter(([account]) => there.has(account))
        .map(([, mint]): Range => ({ owner, mint, from: pass.from, to: pass.to, before: null })),
    );
    return {
      ranges: all.filter((range) => !waiting.has(rangeKey(range))),
      open: [],
      after: owners.at(-1) ?? pass.after,
      isLast: owners.length === rest.length,
    };
  }

  /** Most accounts do not exist before the first payment. */
  private async existing(owners: readonly string[], reached: number): Promise<ReadonlySet<string> | undefined> {
    await this.accounts.derive(owners);
    const all = owners.flatMap((owner) => [...this.accounts.of(owner).keys()]);
    const calls = Array.from({ length: Math.ceil(all.length / LOOKED_UP) }, (_, call) =>
      all.slice(call * LOOKED_UP, (call + 1) * LOOKED_UP),
    );
    const found = await someAtOnce(calls, AT_ONCE, (some) => this.endpoint.existing(some, reached));
    return found.includes(undefined) ? undefined : new Set(found.flatMap((some) => some ?? []));
  }

  private async lookAt(one: Waiting, most: number, passTo: number): Promise<Looked> {
    const account = this.accounts.accountOf(one.owner, one.mint);
    if (account === undefined) return { incomingTransfers: [], rest: null, unread: null, goesOn: false };
    return isLeftBehind(one) ? this.tryAgain(account, one, most, passTo) : this.goThrough(account, one, most, passTo);
  }

  /** Newest first. Unreadable transactions are left behind after an alarm. */
  private async goThrough(account: string, left: Range, most: number, passTo: number): Promise<Looked> {
    // Extended to the pass end: its old end may be deeper than a node returns.
    const range = left.before === null ? { ...left, to: passTo } : left;
    const listed = await this.entriesOf(account, range, most, passTo);
    // The node forgot the cursor: repeat the range, so that nothing is missed.
    if (listed === 'forgotten')
      return { incomingTransfers: [], rest: { ...range, before: null }, unread: null, goesOn: true };
    const { entries, isWhole } = listed;
    const incomingTransfers: IncomingTransfer[] = [];
    const unread: Spot[] = [];
    for (const entry of entries) {
      const { signature, slot } = entry;
      const some = await this.incomingTransfersIn(entry, range, account);
      if (some === 'unread') unread.push({ signature, slot });
      else incomingTransfers.push(...some);
    }
    const leftBehind = spanOf(range, unread);
    if (!isWhole)
      return {
        incomingTransfers,
        rest: { ...range, before: entries.at(-1)?.signature ?? range.before },
        unread: leftBehind,
        goesOn: true,
      };
    const rest = range.to < passTo ? { ...range, from: range.to, to: passTo, before: null } : null;
    return { incomingTransfers, rest, unread: leftBehind, goesOn: rest !== null };
  }

  private async tryAgain(account: string, left: LeftBehind, most: number, passTo: number): Promise<Looked> {
    const { owner, mint, newest, oldest } = left;
    const stays = { incomingTransfers: [], rest: left, unread: null, goesOn: false };
    const incomingTransfers = await this.incomingTransfersIn(newest, left, account);
    if (incomingTransfers === 'unread') return stays;
    if (newest.signature === oldest.signature) return { ...stays, incomingTransfers, rest: null };
    const listed = await this.entriesOf(
      account,
      { owner, mint, from: oldest.slot - 1, to: newest.slot, before: newest.signature },
      most,
      passTo,
    );
    if (listed === 'forgotten') return stays;
    const { entries, isWhole } = listed;
    const end = entries.findIndex(({ signature }) => signature === oldest.signature);
    for (const entry of end < 0 ? entries : entries.slice(0, end + 1)) {
      const some = await this.incomingTransfersIn(entry, left, account);
      if (some === 'unread') return { ...stays, incomingTransfers, rest: spanOf(left, [entry, oldest]) };
      incomingTransfers.push(...some);
    }
    const last = entries.at(-1);
    const isDone = isWhole || end >= 0 || last === undefined;
    return isDone
      ? { ...stays, incomingTransfers, rest: null }
      : { ...stays, incomingTransfers, rest: spanOf(left, [last, oldest]), goesOn: true };
  }

  /** Stays unread if the node has forgotten it since. */
  private async incomingTransfersIn(
    one: Spot | Entry,
    { owner, mint }: Waiting,
    account: string,
  ): Promise<IncomingTransfer[] | 'unread'> {
    const isListed = 'failed' in one;
    if (isListed && one.failed) return [];
    const { signature, slot } = one;
    const facts = await this.told(signature, new Map([[account, mint]]));
    if (facts === 'unreadable' || (facts === undefined && !isListed)) return 'unread';
    if (facts?.slot !== slot || (isListed && !facts.succeeded))
      throw new MalformedAnswerError('what is listed is not what is told');
    if (!facts.succeeded || facts.transfers.length === 0) return [];
    const block = await this.blockAt(slot);
    return facts.transfers.map((transfer) => ({ ...transfer, transactionId: signature, address: owner, block }));
  }

  /** undefined: the node does not know it. */
  private async told(
    signature: string,
    accounts: ReadonlyMap<string, string>,
  ): Promise<TransactionFacts | 'unreadable' | undefined> {
    try {
      return await this.endpoint.transaction(signature, accounts, 'finalized');
    } catch (error) {
      if (error instanceof UnreadableError) return 'unreadable';
      throw error;
    }
  }

  private blockAt(slot: number): Promise<BlockReference> {
    const asked =
      this.blocks.get(slot) ??
      this.endpoint.block(slot, 'finalized').then((block) => block ?? malformed('no block of a final transaction'));
    this.blocks.set(slot, asked);
    return asked;
  }

  /** Newest first. `forgotten`: the node does not know `start`. */
  private async entriesOf(
    account: string,
    { from, to, before: start }: Range,
    most: number,
    reached: number,
  ): Promise<{ entries: readonly Entry[]; isWhole: boolean } | 'forgotten'> {
    const entries: Entry[] = [];
    let before = start;
    // A short page may not be the last one, because providers filter.
    for (let call = 0; call < MOST_CALLS; call += 1) {
      const limit = call === 0 ? FEW_SIGNATURES : MOST_SIGNATURES;
      const page = await this.signatures(account, limit, before, reached);
      const last = page.at(-1);
      if (last === undefined) {
        // Empty also if the node forgot `start`.
        if (call === 0 && start !== null && (await this.told(start, new Map())) === undefined) return 'forgotten';
        return { entries, isWhole: true };
      }
      for (const entry of page) {
        if (entry.slot <= from) return { entries, isWhole: true };
        if (entry.slot > to) continue;
        if (entries.length === most) return { entries, isWhole: false };
        entries.push(entry);
      }
      before = last.signature;
    }
    throw new MalformedAnswerError('signatures without an end');
  }

  private async signatures(
    account: string,
    limit: number,
    before: string | null,
    reached: number,
  ): Promise<readonly Entry[]> {
    const answer = await this.client.call('getSignaturesForAddress', [
      account,
      { commitment: 'finalized', limit, minContextSlot: reached, ...(before !== null && { before }) },
    ]);
    const page = listAt(answer, 'signatures').map(entryOf);
    if (page.length > limit || page.some(({ slot }, index) => slot > (page[index - 1]?.slot ?? slot)))
      malformed('order of signatures');
    return page;
  }
}

function told(
  incomingTransfers: readonly IncomingTransfer[],
  next: Parameters<typeof cursorText>[0],
  end: { readonly isAtHead: boolean; readonly scannedTo: number | null },
): PageTestimony {
  const page = { incomingTransfers, next: cursorText(next), ...end };
  return { kind: 'page', ...page, digest: pageDigest(page) };
}

/** `unread`: newest first. */
function spanOf({ owner, mint }: Waiting, unread: readonly Spot[]): LeftBehind | null {
  const [newest, oldest] = [unread[0], unread.at(-1)];
  if (newest === undefined || oldest === undefined) return null;
  return { owner, mint, newest: { signature: newest.signature, slot: newest.slot }, oldest };
}

function entryOf(value: unknown): Entry {
  const { signature, slot, err } = objectAt(value, 'signature entry');
  if (typeof signature !== 'string' || !SIGNATURE.test(signature) || err === undefined)
    return malformed('signature entry');
  return { signature, slot: countAt(slot, 'signature entry'), failed: err !== null };
}

function malformed(where: string): never {
  throw new MalformedAnswerError(where);
}
