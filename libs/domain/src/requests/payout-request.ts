import type { AmountLimits, Currency, DestinationRules, MobileNetwork, PayoutRules } from '../currency/currency.js';
import { currencyDecimals } from '../currency/registry.js';
import type { DestinationKind, PayoutDestination } from '../destination/destination.js';
import {
  ACCOUNT_NAME,
  neededByAll,
  recipientReader,
  typeField,
  type DestinationReader,
} from '../destination/destination-fields.js';
import {
  amountOf,
  choiceNamed,
  described,
  fault,
  faultsOf,
  lineUpTo,
  oneOf,
  optional,
  readFields,
  refusal,
  required,
  textAs,
  type Read,
  type RequestFields,
  type RuleSet,
  type ValuesOf,
} from './field-rules.js';
import { formatLimit } from '../money/decimal.js';
import { money, type Money } from '../money/money.js';
import { onceFor } from './once-for.js';
import { fieldOf } from './request-fields.js';
import { fail, ok, type Result } from '../result/result.js';

/** Amounts in the paying wallet's currency; names and codes are canonical. */
export interface PayoutRequest {
  readonly amount: Money<PayoutRules['currency']>;
  /** The partner's markup, inside the amount. */
  readonly fee: Money<PayoutRules['currency']>;
  readonly destination: PayoutDestination;
  readonly reference?: string;
  readonly callbackUrl?: string;
}

/** Becomes the transaction code (decisions.md section 1). */
export const REFERENCE_PATTERN = /^[A-Za-z0-9._:-]{1,100}$/;
export const MAX_URL_LENGTH = 2048;

/** The gateway checks `callback_url` against its URL guard; here it is text. */
export const COMMON_FIELDS = {
  reference: optional(
    textAs(
      (sent) => (REFERENCE_PATTERN.test(sent) ? sent : null),
      'be 1 to 100 letters, digits or the characters . _ : -',
      {
        pattern: REFERENCE_PATTERN.source,
        description: 'Your own name for it, which becomes its transaction_code; used once, for ever.',
      },
    ),
  ),
  callback_url: optional(
    described(
      lineUpTo(MAX_URL_LENGTH, 'invalid_callback_url'),
      'Where this transaction is told of, instead of at your default URL.',
      { format: 'uri' },
    ),
  ),
};

/**
 * `account_name` is only validated; the provider tells the real holder (decisions.md section 2, pay and
 * disburse).
 */
export const DISBURSE_FIELDS = { ...COMMON_FIELDS, account_name: optional(ACCOUNT_NAME) };

export function commonPart({
  reference,
  callback_url,
}: {
  reference: string | undefined;
  callback_url: string | undefined;
}): {
  readonly reference?: string;
  readonly callbackUrl?: string;
} {
  return {
    ...(reference !== undefined && { reference }),
    ...(callback_url !== undefined && { callbackUrl: callback_url }),
  };
}

/** Only if there is a choice (interface.md, field `currency`). */
export const walletField = onceFor(({ payouts }: Currency) =>
  optional(
    described(
      oneOf(
        payouts.map(({ currency }) => ({ name: currency, aliases: [] })),
        'unsupported_currency',
      ),
      `What amount, fee and limits are in, and which wallet pays: ${payouts[0].currency} where it is not sent.`,
    ),
  ),
);

export const payoutTypeField = onceFor(({ destinations }: PayoutRules) =>
  typeField(destinations.map(({ kind }) => kind)),
);

const recipientOf = new WeakMap<DestinationRules, DestinationReader<PayoutDestination>>();

/** A rules object belongs to one currency, so it can be the cache key. */
export function recipientFieldsOf(currency: Currency, rules: DestinationRules): DestinationReader<PayoutDestination> {
  const reader = recipientOf.get(rules) ?? recipientReader(currency, rules);
  recipientOf.set(rules, reader);
  return reader;
}

export type PayoutParts<R extends RuleSet> = Omit<PayoutRequest, 'reference' | 'callbackUrl'> & {
  readonly rest: ValuesOf<R>;
};

/**
 * Common to disburse and pay; lists every fault. Errors: invalid_request, amount_out_of_range,
 * unsupported_network, unsupported_currency, unknown_bank, invalid_callback_url.
 */
export function readPayout<R extends RuleSet>(currency: Currency, body: RequestFields, more: R): Read<PayoutParts<R>> {
  const wallet: Read<{ currency: { name: string } | undefined }> =
    currency.payouts.length > 1 ? readFields(body, { currency: walletField(currency) }) : ok({ currency: undefined });
  const [first] = currency.payouts;
  const named = wallet.ok ? wallet.value.currency?.name : undefined;
  const payouts = currency.payouts.find((rules) => rules.currency === named) ?? first;
  const type = readFields(body, { type: payoutTypeField(payouts) });
  const rest = readFields(body, more);
  const possible = wallet.ok
    ? destinationsOf(payouts, type)
    : currency.payouts.flatMap((rules) => destinationsOf(rules, type));
  const [rules] = possible;
  if (rules === undefined) throw new Error('a currency that pays nobody');
  const sums =
    possible.length === 1
      ? readMoney(payouts.currency, rules, body)
      : readFields(body, makeMoneyFields(payouts.currency, widest(possible)));
  const recipient = readRecipient(currency, possible, body);
  if (!wallet.ok || !type.ok || !sums.ok || !recipient.ok || !rest.ok)
    return fail(faultsOf(wallet, type, sums, recipient, rest));
  const { amount, fee } = sums.value as Sums;
  return ok({ amount, fee, destination: recipient.value, rest: rest.value });
}

function destinationsOf(
  { destinations }: PayoutRules,
  type: Read<{ readonly type: { readonly kind: DestinationKind } | undefined }>,
): readonly DestinationRules[] {
  const kind = type.ok ? type.value.type?.kind : undefined;
  return kind === undefined ? destinations : destinations.filter((rules) => rules.kind === kind);
}

/** If the kind is unclear, checks only the fields that all kinds need. */
function readRecipient(
  currency: Currency,
  possible: readonly DestinationRules[],
  body: RequestFields,
): Read<PayoutDestination> {
  const readers = possible.map((rules) => recipientFieldsOf(currency, rules));
  const [only] = readers;
  const kinds = new Set(possible.map(({ kind }) => kind));
  if (only === undefined || kinds.size > 1) return fail(faultsOf(readFields(body, neededByAll(readers))));
  return only.read(body);
}

/** decisions.md section 2. Errors: those of readPayout. */
export function parseDisburse(currency: Currency, body: RequestFields): Result<PayoutRequest> {
  const read = readPayout(currency, body, DISBURSE_FIELDS);
  if (!read.ok) return refusal(read.error);
  const { rest, ...payout } = read.value;
  return ok({ ...payout, ...commonPart(rest) });
}

interface AmountRules {
  readonly decimals: number;
  readonly limits: AmountLimits;
  readonly network: { readonly name: string; readonly limits: AmountLimits } | null;
}

function amountRules(rules: DestinationRules, sentNetwork: unknown): AmountRules {
  if (rules.kind !== 'mobile') {
    const { decimals, limits, networkLimits } = rules;
    return { decimals, limits, network: networkLimits && { name: 'the network', limits: networkLimits } };
  }
  const network = choiceNamed<MobileNetwork>(rules.networks, sentNetwork);
  if (network)
    return {
      decimals: network.decimals,
      limits: rules.limits,
      network: { name: network.name, limits: network.networkLimits },
    };
  // The network is refused anyway.
  return { decimals: Math.max(...rules.networks.map(({ decimals }) => decimals)), limits: rules.limits, network: null };
}

function widest(possible: readonly DestinationRules[]): AmountRules {
  const bounds = possible.map((rules) => amountRules(rules, undefined));
  const minMinor = bounds.map(({ limits }) => limits.minMinor).reduce((a, b) => (a < b ? a : b));
  const maxMinor = bounds.map(({ limits }) => limits.maxMinor).reduce((a, b) => (a > b ? a : b));
  return {
    decimals: Math.max(...bounds.map(({ decimals }) => decimals)),
    limits: { minMinor, maxMinor },
    network: null,
  };
}

/**
 * Clients search for this text and may parse the number: no thousands separators (decisions.md section 1,
 * Texts).
 */
const atLeast = (limit: string): string => `The amount field must be at least ${limit.replaceAll(',', '')}`;
const feeRule = (): string => 'fee must be at least 0 and less than amount';

type MoneyFields = ReturnType<typeof makeMoneyFields>;

const moneyFieldsByNetwork = onceFor((_rules: DestinationRules) => new Map<string | null, MoneyFields>());

function moneyFields(currency: PayoutRules['currency'], rules: DestinationRules, bounds: AmountRules): MoneyFields {
  const known = moneyFieldsByNetwork(rules);
  const name = bounds.network?.name ?? null;
  const fields = known.get(name) ?? makeMoneyFields(currency, bounds);
  known.set(name, fields);
  return fields;
}

function makeMoneyFields(currency: PayoutRules['currency'], { decimals, limits, network }: AmountRules) {
  const minorDecimals = currencyDecimals(currency);
  const text = (minor: bigint): string => formatLimit(minor, minorDecimals);
  const maxMinor = network && network.limits.maxMinor < limits.maxMinor ? network.limits.maxMinor : limits.maxMinor;
  const form = { decimals, minorDecimals, maxMinor };
  const amount = amountOf({
    ...form,
    minMinor: limits.minMinor,
    outOfRange: {
      code: 'amount_out_of_range',
      below: () => atLeast(text(limits.minMinor)),
      above: () => `amount must be at most ${text(maxMinor)} ${currency}`,
    },
  });
  const fee = amountOf({
    ...form,
    minMinor: 0n,
    outOfRange: { code: 'invalid_request', below: feeRule, above: feeRule },
  });
  return {
    amount: required(amount),
    fee: optional(described(fee, 'Your own markup, inside the amount: the recipient gets the rest.')),
  };
}

/** For an unknown recipient: the widest limits of all. */
export const anyAmountField = onceFor(
  ({ currency, destinations }: PayoutRules) => makeMoneyFields(currency, widest(destinations)).amount,
);

/** For an unknown network: the widest rules of all. */
export function widestMoneyFields(currency: PayoutRules['currency'], rules: DestinationRules): RuleSet {
  return moneyFields(currency, rules, amountRules(rules, undefined));
}

type Sums = Pick<PayoutRequest, 'amount' | 'fee'>;

/**
 * Our limits apply to the amount, the network's minimum to what the recipient gets (decisions.md section 3).
 */
function readMoney(currency: PayoutRules['currency'], rules: DestinationRules, body: RequestFields): Read<Sums> {
  const bounds = amountRules(rules, fieldOf(body, 'mobile_network'));
  const read = readFields(body, moneyFields(currency, rules, bounds));
  if (!read.ok) return read;
  const { amount, fee = 0n } = read.value;
  const { network } = bounds;
  if (fee >= amount) return fail([fault('invalid_request', 'fee', feeRule()).error]);
  if (network && amount - fee < network.limits.minMinor) {
    const text = (minor: bigint): string => formatLimit(minor, currencyDecimals(currency));
    const why = `the recipient gets amount less fee, and ${network.name} takes no less than ${text(network.limits.minMinor)} ${currency}`;
    return fail([
      fault('amount_out_of_range', 'amount', `${atLeast(text(network.limits.minMinor + fee))}: ${why}`).error,
    ]);
  }
  return ok({ amount: money(amount, currency), fee: money(fee, currency) });
}
