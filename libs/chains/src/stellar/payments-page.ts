import type { BlockReference } from '@vuka/domain';

import { muxedAddress } from '../address/stellar-address.js';
import type { IncomingTransfer, ScanCursor } from '../deposit-reader.js';
import { pageDigest } from '../reader/agreement.js';
import { RpcError } from '../reader/endpoint-client.js';
import type { PageQuestion, PageTestimony } from '../reader/endpoint.js';
import { MalformedAnswerError, type JsonObject } from '../reader/json-values.js';
import { someAtOnce } from '../reader/some-at-once.js';

import type { Horizon } from './horizon.js';
import { uint64At } from './horizon-values.js';
import { movementsTo } from './movements.js';
import { routeOf } from './routing.js';
import { readTransaction } from './transaction.js';

export interface PageSource {
  readonly horizon: Horizon;
  /** `CODE:ISSUER`. */
  readonly listed: ReadonlySet<string>;
  readonly ledgerAt: (ledger: number) => Promise<BlockReference>;
  /** Account (G…) of one of our addresses. */
  readonly accountOf: (address: string) => string;
}

/** Horizon's limit. */
const LONGEST_PAGE = 200;
/** Partners share one account; a former one may still be watched. */
const MOST_ACCOUNTS = 8;
const READ_AT_ONCE = 8;
const CURSOR = /^\d{1,19}$/;

/** The last possible place in a ledger (SEP-35). */
const endOf = (ledger: number): bigint => ((BigInt(ledger) + 1n) << 32n) - 1n;
const ledgerOf = (place: bigint): number => Number(place >> 32n);

/**
 * The cursor is a place in the network's order of operations, for all accounts. A payment routed to nobody is
 * reported for its account, so that people see a missing memo. Closed ledgers never change: an address added
 * later can only be paid in later ledgers. Throws RpcError, MalformedAnswerError; TypeError on a foreign
 * cursor.
 */
export async function scanPage(
  { cursor, addresses, heights, share }: PageQuestion,
  source: PageSource,
): Promise<PageTestimony> {
  const head = endOf(heights.latest);
  const closedAt = async (place: bigint): Promise<number> => (await source.ledgerAt(ledgerOf(place))).timeMs;
  if (cursor === null)
    return told({ incomingTransfers: [], upTo: head, isAtHead: true, scannedTo: await closedAt(head) });
  const from = placeOf(cursor);
  if (from > head) return { kind: 'nothing', why: 'lags' };
  if (from === head) return told({ incomingTransfers: [], upTo: head, isAtHead: true, scannedTo: null });
  const ours = await addresses('');
  const accounts = [...new Set(ours.map(source.accountOf))];
  if (accounts.length > MOST_ACCOUNTS)
    throw new TypeError(`incoming transfers are looked for at ${String(MOST_ACCOUNTS)} accounts at most`);
  const limit = Math.max(1, Math.floor(LONGEST_PAGE / share));
  const pages = await recordsAfter(from, accounts, limit, source.horizon);
  if (pages === undefined) return { kind: 'too_large' };
  const ends = pages.map(({ records }) => (records.length < limit ? head : (records.at(-1)?.place ?? head)));
  const upTo = ends.reduce((least, end) => (end < least ? end : least), head);
  const known = new Set(ours);
  const incomingTransfers = pages.flatMap(({ account, records }) =>
    records
      .filter(({ place }) => place <= upTo)
      .flatMap(({ record }) => arrivedBy(record, account, { known, listed: source.listed })),
  );
  // A partly read ledger may still bring payments of its own time.
  return told({
    incomingTransfers: await inLedgers(incomingTransfers, source),
    upTo,
    isAtHead: upTo === head,
    scannedTo: await closedAt(upTo),
  });
}

type Found = Omit<IncomingTransfer, 'block'> & { readonly ledger: number; readonly timeMs: number };

interface AccountPage {
  readonly account: string;
  readonly records: readonly { readonly place: bigint; readonly record: JsonObject }[];
}

function told({
  upTo,
  ...rest
}: {
  readonly incomingTransfers: readonly IncomingTransfer[];
  readonly upTo: bigint;
  readonly isAtHead: boolean;
  readonly scannedTo: number | null;
}): PageTestimony {
  const page = { ...rest, next: String(upTo) };
  return { kind: 'page', ...page, digest: pageDigest(page) };
}

function placeOf(cursor: ScanCursor): bigint {
  if (!CURSOR.test(cursor)) throw new TypeError('a cursor of another kind');
  return BigInt(cursor);
}

/** Undefined if the page is too large. */
async function recordsAfter(
  from: bigint,
  accounts: readonly string[],
  limit: number,
  horizon: Horizon,
): Promise<readonly AccountPage[] | undefined> {
  try {
    return await Promise.all(
      accounts.map(async (account) => ({
        account,
        records: inOrder(await horizon.payments(account, String(from), limit), from, limit),
      })),
    );
  } catch (error) {
    const isTooMuch = error instanceof RpcError && (error.trouble === 'too_large' || error.trouble === 'late');
    if (isTooMuch && limit > 1) return undefined;
    throw error;
  }
}

/** Rejects a wrong order, or a payment could be skipped. */
function inOrder(records: readonly JsonObject[], from: bigint, limit: number): AccountPage['records'] {
  const placed = records.map((record) => ({
    place: uint64At(record['paging_token'], 'operation.paging_token'),
    record,
  }));
  const isInOrder = placed.every(({ place }, index) => place > (placed[index - 1]?.place ?? from));
  if (!isInOrder || placed.length > limit) throw new MalformedAnswerError('a page that was not asked for');
  return placed;
}

function arrivedBy(
  record: JsonObject,
  account: string,
  { known, listed }: { readonly known: ReadonlySet<string>; readonly listed: ReadonlySet<string> },
): readonly Found[] {
  const transaction = readTransaction(record['transaction']);
  if (!transaction.succeeded) throw new MalformedAnswerError('a failed transaction that was not asked for');
  const movements = movementsTo(account, record, transaction).filter(({ token }) => listed.has(token));
  return movements.map(({ muxedId, ...transfer }) => {
    const id = routeOf(muxedId, transaction.memo);
    const muxed = id === undefined ? undefined : muxedIn(known, account, id);
    return {
      ...transfer,
      transactionId: transaction.transactionId,
      address: muxed ?? account,
      ledger: transaction.ledger,
      timeMs: transaction.timeMs,
    };
  });
}

function muxedIn(known: ReadonlySet<string>, account: string, id: bigint): string | undefined {
  const address = muxedAddress(account, id);
  return known.has(address) ? address : undefined;
}

async function inLedgers(found: readonly Found[], { ledgerAt }: PageSource): Promise<readonly IncomingTransfer[]> {
  const ledgers = [...new Set(found.map(({ ledger }) => ledger))];
  const blocks = new Map<number, BlockReference>();
  for (const block of await someAtOnce(ledgers, READ_AT_ONCE, ledgerAt)) blocks.set(block.number, block);
  return found.map(({ ledger, timeMs, ...incomingTransfer }) => {
    const block = blocks.get(ledger);
    if (block?.timeMs !== timeMs) throw new MalformedAnswerError('ledger.closed_at');
    return { ...incomingTransfer, block };
  });
}
