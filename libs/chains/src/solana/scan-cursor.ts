import type { ScanCursor } from '../deposit-reader.js';

/** Unscanned part of one token account, newest first. */
export interface Range {
  readonly owner: string;
  readonly mint: string;
  /** Slots above `from`, up to and including `to`. */
  readonly from: number;
  readonly to: number;
  /** Signature scanned down to; null: not begun. */
  readonly before: string | null;
}

export interface Spot {
  readonly signature: string;
  readonly slot: number;
}

/**
 * Unreadable transactions of one account, newest to oldest; at most one entry per account. Transfers between
 * them were reported, and are reported again once these can be read.
 */
export interface LeftBehind {
  readonly owner: string;
  readonly mint: string;
  readonly newest: Spot;
  readonly oldest: Spot;
}

export type Waiting = Range | LeftBehind;

/** One pass over all accounts, up to a slot final at its start. */
export interface Pass {
  /** All up to `from` is scanned, except `open` and `later`. */
  readonly from: number;
  readonly to: number;
  /** Last owner done, in address order. */
  readonly after: string | null;
  /** A range needs more than one page. */
  readonly busy: boolean;
  /**
   * From the pass before, not yet scanned in this one. `open` and `later` together have at most one range and
   * one LeftBehind per account.
   */
  readonly open: readonly Waiting[];
  readonly later: readonly Waiting[];
}

/** Between two passes `to` is null. */
export type ScanState = Omit<Pass, 'to'> & { readonly to: number | null };

export const rangeKey = ({ owner, mint }: Waiting): string => `${owner} ${mint}`;

export const isLeftBehind = (one: Waiting): one is LeftBehind => 'newest' in one;

/** Widens the account's earlier entry, if any. */
export function leaveBehind(
  { open, later }: Pick<Pass, 'open' | 'later'>,
  more: LeftBehind,
): Pick<Pass, 'open' | 'later'> {
  const isIts = (one: Waiting): one is LeftBehind => isLeftBehind(one) && rangeKey(one) === rangeKey(more);
  if (!open.some(isIts) && !later.some(isIts)) return { open, later: [...later, more] };
  const widened = (one: Waiting): Waiting => (isIts(one) ? both(one, more) : one);
  return { open: open.map(widened), later: later.map(widened) };
}

/** For equal slots `before` is newer: ranges run newest first and share no slot. */
function both(before: LeftBehind, { newest, oldest }: LeftBehind): LeftBehind {
  return {
    ...before,
    newest: newest.slot > before.newest.slot ? newest : before.newest,
    oldest: oldest.slot > before.oldest.slot ? before.oldest : oldest,
  };
}

type Row =
  | [owner: string, mint: string, from: number, to: number, before: string | null]
  | [owner: string, mint: string, newest: Spot, oldest: Spot];
type Told = [from: number, to: number | null, after: string | null, busy: boolean, open: Row[], later: Row[]];

const rowOf = (one: Waiting): Row =>
  isLeftBehind(one)
    ? [one.owner, one.mint, one.newest, one.oldest]
    : [one.owner, one.mint, one.from, one.to, one.before];
function waitingOf(row: Row): Waiting {
  if (row.length === 4) return { owner: row[0], mint: row[1], newest: row[2], oldest: row[3] };
  const [owner, mint, from, to, before] = row;
  return { owner, mint, from, to, before };
}

export function cursorText({ from, to, after, busy, open, later }: ScanState): ScanCursor {
  const told: Told = [from, to, after, busy, open.map(rowOf), later.map(rowOf)];
  return JSON.stringify(told);
}

/** Throws on a text not made by `cursorText`. */
export function readCursor(cursor: ScanCursor): ScanState {
  const [from, to, after, busy, open, later] = JSON.parse(cursor) as Told;
  return { from, to, after, busy, open: open.map(waitingOf), later: later.map(waitingOf) };
}
