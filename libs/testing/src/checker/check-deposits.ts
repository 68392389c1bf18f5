import type { IncomingTransfer } from '../books/chain-book.js';
import {
  addressOf,
  failedForDeposit,
  isNamed,
  PROCESSED,
  quotedAt,
  VANISHED,
  type DepositFate,
  type DepositView,
} from './deposit-fate.js';
import type { OutsideRules, OutsideView, Told } from './outside-view.js';
import type { BookEntry } from '../books/provider-book.js';
import { ratesBetween } from '../books/rates-in-force.js';
import { amountOf, minorOf } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

/** The transfer came and waits, or has vanished; the row still names it. */
const WAS_USED: ReadonlySet<string> = new Set(['underpaid', 'wrong_asset', 'deposit_late', VANISHED]);
/** Block times are whole seconds. */
const CLOCKS_MS = 1_000;
/** Between a quote's start and the answer that carries it. */
const QUOTED_WITHIN_MS = 5_000;

/** Each transfer pays for one thing, each pay has one transfer, and no payout was made before its deposit was final. */
export function depositFaults(
  told: readonly Told[],
  { books, deposits }: OutsideView,
  { movedClocks }: OutsideRules,
): string[] {
  const pays = told.filter(({ sent }) => sent.operation === 'pay');
  const paidAt = new Map(
    books
      .filter(({ status }) => status === 'PAID')
      .map((entry): [string | undefined, BookEntry] => [entry.receipt, entry]),
  );
  const incomingTransfers = deposits?.books.flatMap((book) => book.incomingTransfers) ?? [];
  return [
    ...pays.flatMap((one) => [...columnFaults(one), ...fundingFaults(one), ...quoteFaults(one, deposits)]),
    ...pays.filter(({ sent }) => !movedClocks?.has(sent.deposit?.chain ?? '')).flatMap((one) => tooSoon(one, paidAt)),
    ...(deposits === undefined
      ? []
      : incomingTransfers.flatMap((incomingTransfer) => usesOf(incomingTransfer, pays, deposits))),
  ];
}

function columnFaults({ sent, row, fate }: Told): string[] {
  const { chain, hash, quote, asset } = sent.deposit ?? {};
  const faults: string[] = [];
  if (row['chain'] !== chain || row['transaction_hash'] !== hash)
    faults.push(`names the deposit ${String(row['chain'])} ${String(row['transaction_hash'])}`);
  if (quote && row['quote_id'] !== quote.quote_id) faults.push(`has the quote ${String(row['quote_id'])}`);
  const incomingTransfer = usedOf(row, fate);
  const [symbol, rate] =
    incomingTransfer === null || fate?.kind === 'nothing'
      ? [asset ?? null, '']
      : [incomingTransfer.token.symbol, fate?.rate ?? ''];
  if (row['asset'] !== symbol) faults.push(`has the asset ${String(row['asset'])}, and not ${String(symbol)}`);
  if (!sameDecimal(String(row['rate']), rate)) faults.push(`has the rate ${String(row['rate'])}, and not ${rate}`);
  if (incomingTransfer !== null && row['amount_in_usd'] !== dollarsOf(amountOf(sent), rate, sent.currency))
    faults.push(`is said to be ${String(row['amount_in_usd'])} dollars`);
  return faults.map((fault) => `${sent.code} ${fault}`);
}

/** The quoted rate was in force when it was quoted. */
function quoteFaults({ sent }: Told, deposits: DepositView | undefined): string[] {
  const { quote = null } = sent.deposit ?? {};
  const inForce = deposits?.rates.get(sent.currency);
  if (quote === null || inForce === undefined) return [];
  const at = quotedAt(quote);
  const allowed = ratesBetween(inForce, at, at + QUOTED_WITHIN_MS);
  return allowed.some((rate) => sameDecimal(rate, String(quote.rate)))
    ? []
    : [`${sent.code} was quoted ${quote.rate}, and ${allowed.join(' or ')} was in force`];
}

/** A payout that is under way, or was made, has a deposit that covers it. */
function fundingFaults({ sent, row, fate }: Told): string[] {
  const isPaid =
    row.status === 'COMPLETE' || row.status === 'REVERSED' || (row.status === 'FAILED' && !failedForDeposit(row));
  return isPaid && fate?.kind !== 'funds'
    ? [`${sent.code} is ${row.status} ${row.failure_code}, and no transfer paid for it`]
    : [];
}

function tooSoon({ sent, row, fate, vanished }: Told, paid: ReadonlyMap<string | undefined, BookEntry>): string[] {
  const entry = paid.get(row.receipt_number ?? '');
  if (vanished !== null || entry === undefined || fate?.kind !== 'funds') return [];
  const { finalAt } = fate.incomingTransfer;
  if (finalAt !== null && finalAt.getTime() <= Date.parse(entry.at) + CLOCKS_MS) return [];
  return [
    `${sent.code} was paid at ${entry.at}, and its transfer was final ${finalAt === null ? 'never' : `at ${finalAt.toISOString()}`}`,
  ];
}

/** At most one pay of the partner uses a transfer. If a pay is refused as a duplicate, another one has used it. */
function usesOf(incomingTransfer: IncomingTransfer, pays: readonly Told[], view: DepositView): string[] {
  const named = pays.filter(
    ({ sent }) =>
      sent.deposit !== undefined &&
      isNamed(incomingTransfer, sent.deposit) &&
      addressOf(view, sent.partner, incomingTransfer.chain) === incomingTransfer.address,
  );
  const users = named.filter(({ row, fate }) => usedOf(row, fate) !== null);
  if (users.length > 1)
    return [`${nameOf(incomingTransfer)} pays for ${users.length}: ${users.map(({ sent }) => sent.code).join(', ')}`];
  const refused = named.find(({ row }) => row.failure_code === PROCESSED);
  return refused !== undefined && users.length === 0
    ? [`${refused.sent.code} is told that ${nameOf(incomingTransfer)} was processed, and nobody has it`]
    : [];
}

function usedOf(row: StatusRow, fate: DepositFate | null): IncomingTransfer | null {
  const { status, failure_code: failureCode } = row;
  if (fate === null || fate.kind === 'nothing' || status === 'PENDING') return null;
  if (failedForDeposit(row) && !WAS_USED.has(failureCode)) return null;
  return status === 'PROCESSING' && fate.incomingTransfer.finalAt === null ? null : fate.incomingTransfer;
}

function dollarsOf(amount: bigint, rate: string, currency: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const fiat = BigInt(whole + fraction) * minorOf('1', currency);
  const cents = (2n * amount * 100n * 10n ** BigInt(fraction.length) + fiat) / (2n * fiat);
  return currency === 'USD' ? decimal(amount) : decimal(cents);
}

const decimal = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
const plain = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
const sameDecimal = (one: string, other: string): boolean => plain(one) === plain(other);
const nameOf = ({ chain, hash, token }: IncomingTransfer): string =>
  `the transfer of ${token.symbol} ${hash} on ${chain}`;
