import type { ScanCursor } from '../deposit-reader.js';

export interface Range {
  readonly owner: string;
  readonly mint: string;
  /** `from` is exclusive, `to` inclusive. */
  readonly from: number;
  readonly to: number;
  /** Scanned down to here; null: not begun. */
  readonly before: string | null;
}

export interface Spot {
  readonly signature: string;
  readonly slot: number;
}

/**
 * Unreadable transactions, newest to oldest; one entry per account. Transfers between them are reported again
 * once readable.
 */
export interface LeftBehind {
  readonly owner: string;
  readonly mint: string;
  readonly newest: Spot;
  readonly oldest: Spot;
}

export type Waiting = Range | LeftBehind;

/** Up to a slot final at its start. */
export interface Pass {
  /** Scanned up to here, except `open` and `later`. */
  readonly from: number;
  readonly to: number;
  /** Last owner done, in address order. */
  readonly after: string | null;
  readonly busy: boolean;
  /** From the pass before. With `later`, at most one range and one LeftBehind per account. */
  readonly open: readonly Waiting[];
  readonly later: readonly Waiting[];
}

/** null between passes. */
export type ScanState = Omit<Pass, 'to'> & { readonly to: number | null };

export const rangeKey = ({ owner, mint }: Waiting): string => `${owner} ${mint}`;

export const isLeftBehind = (one: Waiting): one is LeftBehind => 'newest' in one;

export function leaveBehind(
  { open, later }: Pick<Pass, 'open' | 'later'>,
  more: LeftBehind,
): Pick<Pass, 'open' | 'later'> {
  const isIts = (one: Waiting): one is LeftBehind => isLeftBehind(one) && rangeKey(one) === rangeKey(more);
  if (!open.some(isIts) && !later.some(isIts)) return { open, later: [...later, more] };
  const widened = (one: Waiting): Waiting => (isIts(one) ? both(one, more) : one);
  return { open: open.map(widened), later: later.map(widened) };
}

/** Equal slots: `before` is newer, because ranges run newest first and share no slot. */
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

/** Throws on foreign text. */
export function readCursor(cursor: ScanCursor): ScanState {
  const [from, to, after, busy, open, later] = JSON.parse(cursor) as Told;
  return { from, to, after, busy, open: open.map(waitingOf), later: later.map(waitingOf) };
}
