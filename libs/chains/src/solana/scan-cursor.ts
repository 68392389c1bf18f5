import type { ScanCursor } from '../deposit-reader.js';

/** Of one token account of ours: what is to be looked through, newest first. */
export interface Range {
  readonly owner: string;
  readonly mint: string;
  /** Slots above the one, up to and with the other. */
  readonly from: number;
  readonly to: number;
  /** Signature down to which it has been; null: not begun. */
  readonly before: string | null;
}

/** A transaction, and the slot it is in. */
export interface Spot {
  readonly signature: string;
  readonly slot: number;
}

/**
 * Of one token account of ours: what could not be read, from the newest to the oldest of it. There is at most one of each account, however many cannot be
 * read: what came between them has been told, and is told again once they can be.
 */
export interface LeftBehind {
  readonly owner: string;
  readonly mint: string;
  readonly newest: Spot;
  readonly oldest: Spot;
}

export type Waiting = Range | LeftBehind;

/** One time through all accounts, up to a slot that was final when it began. */
export interface Pass {
  /** All up to here has been looked through, save what `open` and `later` name. */
  readonly from: number;
  readonly to: number;
  /** Owner up to whom it has come, by the order of addresses. */
  readonly after: string | null;
  /** A range has more than one page of it had room for. */
  readonly busy: boolean;
  /** Left over from the pass before, and not yet looked at in this one; of each account at most one range and one left behind, in both together. */
  readonly open: readonly Waiting[];
  readonly later: readonly Waiting[];
}

/** Between two passes `to` is null. */
export type ScanState = Omit<Pass, 'to'> & { readonly to: number | null };

/** One account is one owner's of one mint. */
export const rangeKey = ({ owner, mint }: Waiting): string => `${owner} ${mint}`;

export const isLeftBehind = (one: Waiting): one is LeftBehind => 'newest' in one;

/** What waits, with more that could not be read: at the place of what was left behind of that account before. */
export function leaveBehind(
  { open, later }: Pick<Pass, 'open' | 'later'>,
  more: LeftBehind,
): Pick<Pass, 'open' | 'later'> {
  const isIts = (one: Waiting): one is LeftBehind => isLeftBehind(one) && rangeKey(one) === rangeKey(more);
  if (!open.some(isIts) && !later.some(isIts)) return { open, later: [...later, more] };
  const widened = (one: Waiting): Waiting => (isIts(one) ? both(one, more) : one);
  return { open: open.map(widened), later: later.map(widened) };
}

/** Of one slot what was found before is newer: within a range the newest comes first, and no two ranges share a slot. */
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

/** Of a text that this made, and somebody kept. Throws where it is none. */
export function readCursor(cursor: ScanCursor): ScanState {
  const [from, to, after, busy, open, later] = JSON.parse(cursor) as Told;
  return { from, to, after, busy, open: open.map(waitingOf), later: later.map(waitingOf) };
}
