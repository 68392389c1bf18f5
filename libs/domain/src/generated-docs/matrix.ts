import type { Currency, DestinationRules, PayoutRules, WalletCurrency } from '../currency/currency.js';
import { CURRENCIES, currencyDecimals } from '../currency/registry.js';
import { PAYOUT_TYPES, type DestinationKind } from '../destination/destination.js';
import { formatLimit } from '../money/decimal.js';
import { requestShapes, type ShapedOperation } from '../requests/request-shapes.js';
import { effectiveLimits, type EffectiveLimits } from '../terms/terms.js';
import { table } from './page-text.js';

/** In the README. */
export const MATRIX_MARKERS = { begin: '<!-- matrix:begin -->', end: '<!-- matrix:end -->' } as const;

const NOT_OFFERED = '–';

const KINDS: Readonly<Record<DestinationKind, string>> = {
  mobile: 'phone',
  paybill: 'paybill',
  till: 'till',
  bank: 'bank account',
};

export function readmeMatrix(): string {
  const head = ['currency', 'recipient', '`bank-transfer`', '`disburse`', '`pay`', '`validation`'];
  const rows = Object.values<Currency>(CURRENCIES).flatMap((currency) =>
    currency.payouts.flatMap((payouts) => payouts.destinations.map((rules) => matrixRow(currency, payouts, rules))),
  );
  return [
    table(head, rows),
    [
      'Numbers are the least and the most `amount` of one payment. It has at most two decimals, and none where it says *whole*. The fields below the numbers must be sent, too.',
      '`pay` also takes `chain`, `asset`, `quote_id` and `refund_address`. Networks, types and chains may be spelled in any letter case, with or without spaces and dashes.',
      'Aliases, forms of phones, fees, and where each limit comes from:',
      '[docs/generated/currencies.md](docs/generated/currencies.md).',
    ].join('\n'),
  ].join('\n\n');
}

function matrixRow(currency: Currency, { currency: paidIn }: PayoutRules, rules: DestinationRules): string[] {
  const { kind } = rules;
  const own = paidIn === currency.code;
  const limits = limitsText(effectiveLimits(currency).filter((one) => one.kind === kind && one.paidIn === paidIn));
  const networks = rules.kind === 'mobile' ? `: ${rules.networks.map(({ name }) => name).join(', ')}` : '';
  const transfers = kind === 'bank' && own ? currency.bankTransfer : null;
  return [
    own ? currency.code : `${currency.code} in ${paidIn}`,
    `${KINDS[kind]}${networks}`,
    transfers === null
      ? NOT_OFFERED
      : `${between(transfers, currency.decimals)}<br>${fieldsText('bank_transfer', currency, kind, paidIn)}`,
    `${limits}<br>${fieldsText('disburse', currency, kind, paidIn)}`,
    payText(currency, kind, paidIn),
    // The same for every wallet.
    fieldsText('validation', currency, kind, currency.payouts[0].currency) || NOT_OFFERED,
  ];
}

function between({ minMinor, maxMinor }: EffectiveLimits['limits'], decimals: number): string {
  return `${formatLimit(minMinor, decimals)} – ${formatLimit(maxMinor, decimals)}`;
}

/** Once if all networks are equal; *whole* = no decimals. */
function limitsText(limits: readonly EffectiveLimits[]): string {
  const ranges = new Set(limits.map(({ paidIn, limits: both }) => between(both, currencyDecimals(paidIn))));
  const whole = limits.filter(({ decimals }) => decimals === 0);
  if (ranges.size > 1) return limits.map((one) => `${one.network ?? ''} ${limitsText([one])}`.trim()).join(', ');
  const range = [...ranges].join('');
  if (whole.length === 0) return range;
  return whole.length === limits.length
    ? `${range} *whole*`
    : `${range}, ${whole.map(({ network }) => network).join(', ')} *whole*`;
}

/** Only the extra fields: the rest is as in a wallet payout. */
function payText(currency: Currency, kind: DestinationKind, paidIn: WalletCurrency): string {
  const [pay, disburse] = [
    requiredFields('pay', currency, kind, paidIn),
    requiredFields('disburse', currency, kind, paidIn),
  ];
  if (!disburse.every((field) => pay.includes(field)))
    throw new Error(`a pay in ${currency.code} is no payout with a deposit`);
  return `as \`disburse\`, and ${pay
    .filter((field) => !disburse.includes(field))
    .map((field) => `\`${field}\``)
    .join(' ')}`;
}

/** Required fields besides the amount. '' = not offered. */
function fieldsText(
  operation: ShapedOperation,
  currency: Currency,
  kind: DestinationKind,
  paidIn: WalletCurrency,
): string {
  const values: Readonly<Record<string, string>> = { type: PAYOUT_TYPES[kind], currency: paidIn };
  return requiredFields(operation, currency, kind, paidIn)
    .map((field) => `\`${field}${values[field] === undefined ? '' : `: ${values[field]}`}\``)
    .join(' ');
}

function requiredFields(
  operation: ShapedOperation,
  currency: Currency,
  kind: DestinationKind,
  paidIn: WalletCurrency,
): readonly string[] {
  const shape = requestShapes(operation, currency).find((one) => one.kind === kind && one.paidIn === paidIn);
  const required = (shape?.schema['required'] ?? []) as readonly string[];
  return required.filter((field) => field !== 'amount');
}

/** Throws if the markers are missing. */
export function withMatrix(readme: string): string {
  const [from, to] = [readme.indexOf(MATRIX_MARKERS.begin), readme.indexOf(MATRIX_MARKERS.end)];
  if (from === -1 || to < from) throw new Error(`the README has no ${MATRIX_MARKERS.begin} … ${MATRIX_MARKERS.end}`);
  return `${readme.slice(0, from)}${MATRIX_MARKERS.begin}\n${readmeMatrix()}\n${readme.slice(to)}`;
}
