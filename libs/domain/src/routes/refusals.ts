import type { Currency } from '../currency/currency.js';
import { currencyDecimals } from '../currency/registry.js';
import { PAYOUT_TYPES, type LookupDestination, type PayoutDestination } from '../destination/destination.js';
import { formatLimit } from '../money/decimal.js';
import { subtract, zero, type Money } from '../money/money.js';
import type { ErrorCode } from '../result/errors.js';
import { fail, ok, type Problem, type Result } from '../result/result.js';
import type { FeeOperation } from '../terms/service-fee.js';
import {
  paysBank,
  routedRecipient,
  routeTo,
  takesAccount,
  takesDecimals,
  takesSize,
  widestBounds,
  type Carrier,
  type Coverage,
} from './coverage.js';

export interface AskedToPay {
  readonly operation: FeeOperation;
  readonly amount: Money;
  /** The partner's markup, inside the amount. */
  readonly fee: Money;
  readonly destination: PayoutDestination;
}

/**
 * Why no configured route carries it; null: one does. Errors: unsupported_currency, invalid_request (kind of recipient, account
 * length, decimals), unsupported_network, unknown_bank, amount_out_of_range.
 */
export function payoutRefusal(coverage: Coverage, asked: AskedToPay): Problem | null {
  const takers = takersOf(coverage, asked.amount.currency, asked.destination, asked.operation);
  return takers.ok ? amountRefusal(takers.value, asked) : takers.error;
}

/** The same of a recipient, whatever it gets and from whichever wallet. */
export function recipientRefusal(
  coverage: Coverage,
  { payouts }: Pick<Currency, 'payouts'>,
  destination: LookupDestination,
): Problem | null {
  const found = payouts.map(({ currency }) => takersOf(coverage, currency, destination, 'disburse'));
  const problems = found.flatMap((takers) => (takers.ok ? [] : [takers.error]));
  if (problems.length < found.length) return null;
  return problems.find(({ code }) => code !== 'unsupported_currency') ?? problems[0] ?? null;
}

/** The same of an amount, whoever gets it. */
export function quoteRefusal(coverage: Coverage, amount: Money): Problem | null {
  const takers = coverage.filter(({ currency }) => currency === amount.currency).flatMap(({ carriers }) => carriers);
  if (takers.length === 0) return notPaidOut(amount.currency);
  return amountRefusal(takers, { operation: 'pay', amount, fee: zero(amount.currency) });
}

/** Providers that pay this recipient, whatever it gets. */
function takersOf(
  coverage: Coverage,
  currency: string,
  destination: LookupDestination,
  operation: FeeOperation,
): Result<readonly Carrier[]> {
  const inCurrency = coverage.filter((route) => route.currency === currency);
  if (operation === 'bank_transfer' && !inCurrency.some(({ kind }) => kind === 'bank'))
    return fail({ code: 'unsupported_currency', message: `bank transfers in ${currency} are not offered` });
  if (inCurrency.length === 0) return fail(notPaidOut(currency));
  const types = [...new Set(inCurrency.map(({ kind }) => PAYOUT_TYPES[kind]))];
  const type = PAYOUT_TYPES[destination.kind];
  if (!types.includes(type))
    return fail(
      problem('invalid_request', 'type', `type must be one of ${types.join(', ')}: ${currency} is not paid to ${type}`),
    );
  const route = routeTo(coverage, currency, routedRecipient(destination));
  if (route === undefined) {
    const networks = inCurrency.flatMap(({ kind, network }) => (kind === 'mobile' ? (network ?? []) : []));
    const rule = `mobile_network must be one of ${networks.join(', ')} for ${currency}`;
    return fail(problem('unsupported_network', 'mobile_network', rule));
  }
  return accountTakers(route.carriers, destination);
}

function accountTakers(carriers: readonly Carrier[], destination: LookupDestination): Result<readonly Carrier[]> {
  const recipient = routedRecipient(destination);
  const payers = carriers.filter((carrier) => paysBank(carrier, recipient));
  if (payers.length === 0) {
    const bank = destination.kind === 'bank' ? destination.bank_name : '';
    return fail(problem('unknown_bank', 'bank_code', `bank_code names ${bank}, to which nothing is paid`));
  }
  const takers = payers.filter((carrier) => takesAccount(carrier, recipient));
  if (takers.length > 0) return ok(takers);
  const lengths = payers.flatMap(({ accountLength }) => accountLength ?? []);
  const least = Math.min(...lengths.map(({ min }) => min));
  const most = Math.max(...lengths.map(({ max }) => max));
  const rule = least === most ? String(least) : `${String(least)} to ${String(most)}`;
  return fail(problem('invalid_request', 'account_number', `account_number must have ${rule} characters`));
}

function amountRefusal(
  takers: readonly Carrier[],
  { operation, amount, fee }: Omit<AskedToPay, 'destination'>,
): Problem | null {
  const given = subtract(amount, fee);
  const precise = takers.filter((carrier) => takesDecimals(carrier, given));
  if (precise.length === 0) {
    const most = Math.max(...takers.map(({ decimals }) => decimals));
    const what = fee.minor === 0n ? 'amount' : 'amount less fee';
    const rule = most === 0 ? 'be a whole number' : `have at most ${String(most)} decimals`;
    return problem('invalid_request', 'amount', `${what} must ${rule}`);
  }
  if (precise.some((carrier) => takesSize(carrier, given))) return null;
  return problem('amount_out_of_range', 'amount', sizeRule(precise, operation, given, fee));
}

/** Clients search for the text of a minimum (decisions.md section 1, Texts). */
function sizeRule(takers: readonly Carrier[], operation: FeeOperation, given: Money, fee: Money): string {
  const { currency } = given;
  const text = (minor: bigint): string => formatLimit(minor, currencyDecimals(currency));
  const { minMinor, maxMinor } = widestBounds(takers);
  if (minMinor !== null && given.minor < minMinor) {
    const least = text(minMinor + fee.minor);
    return operation === 'bank_transfer'
      ? `amount must be at least ${least} ${currency}`
      : `The amount field must be at least ${least.replaceAll(',', '')}`;
  }
  if (maxMinor !== null && given.minor > maxMinor)
    return `amount must be at most ${text(maxMinor + fee.minor)} ${currency}`;
  // Between what one provider takes and what another does.
  const ranges = takers.flatMap(({ limits }) =>
    limits === null ? [] : [`${text(limits.minMinor + fee.minor)} to ${text(limits.maxMinor + fee.minor)}`],
  );
  return `amount must be ${ranges.join(' or ')} ${currency}`;
}

function notPaidOut(currency: string): Problem {
  return { code: 'unsupported_currency', message: `payouts in ${currency} are not offered` };
}

function problem(code: ErrorCode, field: string, detail: string): Problem {
  return { code, message: detail, faults: [{ detail, pointer: `/${field}` }] };
}
