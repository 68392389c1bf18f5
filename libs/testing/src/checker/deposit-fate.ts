import { chainFact, SCREENED_SENDER, type Family, type TokenFact } from '../books/chain-facts.js';
import type { IncomingTransfer, ChainBook } from '../books/chain-book.js';
import type { HeldQuote, NamedDeposit } from '../partner/named-deposit.js';
import { ratesBetween, type RatesInForce } from '../books/rates-in-force.js';
import { amountOf, minorOf, payoutOf, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

export interface DepositView {
  readonly books: readonly ChainBook[];
  /** By partner: one address per chain family; lower case on EVM. */
  readonly addresses: ReadonlyMap<number, Readonly<Partial<Record<Family, string>>>>;
  /** Fiat per dollar by currency, as the checker recorded them. */
  readonly rates: RatesInForce;
}

/** What must become of a pay, given its deposit (decisions.md section 5). */
export type DepositFate =
  | {
      readonly kind: 'funds';
      readonly incomingTransfer: IncomingTransfer;
      readonly rate: string;
      /**
       * Minor units of the currency. `worth`: received at that rate, rounded down. `shortfall`: what we add within
       * tolerance.
       */
      readonly worth: bigint;
      readonly shortfall: bigint;
      readonly screened: boolean;
      readonly beside: readonly IncomingTransfer[];
      /** Minor units of the token: received beyond the quote's amount and tolerance. It is not used. */
      readonly beyond: bigint;
      readonly dayRate: string;
    }
  | {
      readonly kind: 'unapplied';
      readonly code: 'underpaid' | 'wrong_asset' | 'deposit_late';
      readonly incomingTransfer: IncomingTransfer;
      readonly rate: string;
      readonly beside: readonly IncomingTransfer[];
    }
  | { readonly kind: 'nothing'; readonly codes: readonly string[] };

const QUOTE_LIVES_MS = 300_000;
const QUOTE_GRACE_MS = 30_000;
/** A pay may be accepted this long after its quote expired. */
const QUOTE_USABLE_MS = 30 * 60_000;
const MOST_AGE_MS = 24 * 3_600_000;
/** The transfer was not found, or not final, in time. A later one needs a new claim. */
const GIVEN_UP = ['no_matching_transfer', 'transfer_not_final'];
const CLOCKS_MS = 3_000;

export const VANISHED = 'deposit_reverted';
/** Another hash of the same transaction was claimed before. */
export const PROCESSED = 'hash_already_processed';

const NOTHING: DepositFate = { kind: 'nothing', codes: GIVEN_UP };

export function fateOf(sent: SentPayout, row: StatusRow, view: DepositView): DepositFate {
  const { deposit } = sent;
  if (deposit === undefined) throw new Error(`${sent.code} has no deposit`);
  const book = view.books.find(({ chain }) => chain === deposit.chain);
  if (book?.reverted.has(deposit.hash)) return { kind: 'nothing', codes: ['transfer_failed', 'transfer_not_final'] };
  const named = deposit.asset ?? deposit.quote?.asset ?? null;
  const [incomingTransfer, ...beside] = (book?.incomingTransfers ?? [])
    .filter((one) => isNamed(one, deposit) && one.address === addressOf(view, sent.partner, deposit.chain))
    .sort((one, other) =>
      one.token.symbol === named ? -1 : other.token.symbol === named ? 1 : Number(wholeOf(other) - wholeOf(one)),
    );
  if (incomingTransfer === undefined || wasGivenUp(row, incomingTransfer)) return NOTHING;
  if (row.failure_code === PROCESSED) return { kind: 'nothing', codes: [PROCESSED] };
  const dayRate = rateOfDay(sent, row, incomingTransfer, view);
  if (incomingTransfer.at.getTime() < Date.parse(String(row['created_at'])) - MOST_AGE_MS)
    return { kind: 'unapplied', code: 'deposit_late', incomingTransfer, rate: dayRate, beside };
  if (named !== null && incomingTransfer.token.symbol !== named)
    return { kind: 'unapplied', code: 'wrong_asset', incomingTransfer, rate: dayRate, beside };
  const { quote } = deposit;
  const isQuoted = quote !== null && isOnTime(quote, incomingTransfer.at, Date.parse(String(row['created_at'])));
  return judged(sent, incomingTransfer, { rate: isQuoted ? String(quote.rate) : dayRate, isQuoted, dayRate, beside });
}

/**
 * The rate in force when offramp took the claim: between request and end. For a transfer later than the quote's life:
 * when that was judged.
 * If several fit, the one the row names; if it names another, any of them.
 */
function rateOfDay(sent: SentPayout, row: StatusRow, { at }: IncomingTransfer, { rates }: DepositView): string {
  const inForce = rates.get(sent.currency) ?? [];
  const created = Date.parse(String(row['created_at']));
  const isMadeLater = at.getTime() > created + QUOTE_LIVES_MS + QUOTE_GRACE_MS;
  const ended = /^(COMPLETE|FAILED|REVERSED)$/.test(row.status) ? Date.parse(String(row['updated_at'])) : Infinity;
  const allowed = ratesBetween(inForce, isMadeLater ? at.getTime() : created, ended);
  const dayRate = allowed.find((rate) => Number(rate) === Number(row['rate'])) ?? allowed[0] ?? inForce[0]?.rate;
  if (dayRate === undefined) throw new Error(`the rate of ${sent.currency} is not known`);
  return dayRate;
}

export function quotedAt({ expires_at: expires }: Pick<HeldQuote, 'expires_at'>): number {
  return Date.parse(expires) - QUOTE_LIVES_MS;
}

/** For a transfer that its chain took back: as it was before. */
export function fateOfVanished(
  sent: SentPayout,
  row: StatusRow,
  view: DepositView,
  incomingTransfer: IncomingTransfer,
): DepositFate {
  return fateOf(sent, row, {
    ...view,
    books: [
      {
        chain: incomingTransfer.chain,
        height: incomingTransfer.block,
        incomingTransfers: [incomingTransfer],
        reverted: new Set(),
      },
    ],
  });
}

export function isNamed(
  { chain, hash, otherHashes }: IncomingTransfer,
  deposit: Pick<NamedDeposit, 'chain' | 'hash'>,
): boolean {
  return deposit.chain === chain && (deposit.hash === hash || otherHashes.includes(deposit.hash));
}

export function addressOf(
  { addresses }: Pick<DepositView, 'addresses'>,
  partner: number,
  chain: string,
): string | undefined {
  return addresses.get(partner)?.[chainFact(chain).family];
}

/**
 * The block is within the quote's time; an earlier one counts if the pay came within it.
 * The pay was accepted while the quote was usable (docs/partners/rates-and-quotes.md).
 */
function isOnTime({ expires_at: expires }: HeldQuote, at: Date, claimedAt: number): boolean {
  const end = Date.parse(expires) + QUOTE_GRACE_MS;
  const start = Date.parse(expires) - QUOTE_LIVES_MS - QUOTE_GRACE_MS;
  return (
    claimedAt <= Date.parse(expires) + QUOTE_USABLE_MS &&
    at.getTime() <= end &&
    (at.getTime() >= start || claimedAt <= end)
  );
}

interface Priced {
  readonly rate: string;
  readonly isQuoted: boolean;
  readonly dayRate: string;
  readonly beside: readonly IncomingTransfer[];
}

function judged(
  sent: SentPayout,
  incomingTransfer: IncomingTransfer,
  { rate, isQuoted, dayRate, beside }: Priced,
): DepositFate {
  const { token, received } = incomingTransfer;
  const amount = amountOf(sent);
  const [fiatMinor, tokenMinor] = ratio(rate, sent.currency, token.decimals);
  const due = (amount * tokenMinor + fiatMinor - 1n) / fiatMinor;
  const tolerated = toleratedOf(due, token);
  if (received + tolerated < due) return { kind: 'unapplied', code: 'underpaid', incomingTransfer, rate, beside };
  const beyond = isQuoted && received > due + tolerated ? received - due - tolerated : 0n;
  const worth = worthOf({ token, received: received - beyond }, rate, sent.currency);
  const screened = incomingTransfer.senders.includes(SCREENED_SENDER.toLowerCase());
  const missing = payoutOf(sent) - worth;
  return {
    kind: 'funds',
    incomingTransfer,
    rate,
    worth,
    shortfall: missing > 0n ? missing : 0n,
    screened,
    beside,
    beyond,
    dayRate,
  };
}

/** The larger of 0.01 token and 0.1 % of what is due, at most 1 % of it. */
export function toleratedOf(due: bigint, { decimals }: Pick<TokenFact, 'decimals'>): bigint {
  const [token, thousandth, most] = [10n ** BigInt(decimals) / 100n, due / 1_000n, due / 100n];
  const larger = token > thousandth ? token : thousandth;
  return larger < most ? larger : most;
}

/** Failure codes of the deposit; all others are of the payout. */
const OF_DEPOSITS: ReadonlySet<string> = new Set([
  'no_matching_transfer',
  PROCESSED,
  'transfer_failed',
  'transfer_not_final',
  'underpaid',
  'wrong_asset',
  'deposit_late',
  'quote_expired',
  VANISHED,
]);

export function failedForDeposit({ status, failure_code }: StatusRow): boolean {
  return status === 'FAILED' && OF_DEPOSITS.has(failure_code);
}

/** Minor units of the currency, rounded down. */
export function worthOf(
  { received, token }: Pick<IncomingTransfer, 'received' | 'token'>,
  rate: string,
  currency: string,
): bigint {
  const [fiatMinor, tokenMinor] = ratio(rate, currency, token.decimals);
  return (received * fiatMinor) / tokenMinor;
}

function ratio(rate: string, currency: string, decimals: number): readonly [fiat: bigint, token: bigint] {
  const [whole = '0', fraction = ''] = rate.split('.');
  return [BigInt(whole + fraction) * minorOf('1', currency), 10n ** BigInt(decimals + fraction.length)];
}

function wasGivenUp(row: StatusRow, { finalAt }: IncomingTransfer): boolean {
  const ended = Date.parse(String(row['updated_at']));
  return (
    row.status === 'FAILED' &&
    GIVEN_UP.includes(row.failure_code) &&
    (finalAt === null || finalAt.getTime() + CLOCKS_MS >= ended)
  );
}

const wholeOf = ({ received, token }: IncomingTransfer): bigint => received * 10n ** BigInt(18 - token.decimals);
