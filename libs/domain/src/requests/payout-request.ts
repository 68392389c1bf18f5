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

/** A payout as the rules left it. Amounts are in the currency of the wallet it leaves; names and codes are canonical. */
export interface PayoutRequest {
  readonly amount: Money<PayoutRules['currency']>;
  /** The partner's markup, inside the amount. */
  readonly fee: Money<PayoutRules['currency']>;
  readonly destination: PayoutDestination;
  readonly reference?: string;
  readonly callbackUrl?: string;
}

/** A client's own reference, which becomes the transaction code (decisions.md section 1). */
export const REFERENCE_PATTERN = /^[A-Za-z0-9._:-]{1,100}$/;
export const MAX_URL_LENGTH = 2048;

/** What every payout may carry. The URL guard is the gateway's: here `callback_url` is only text. */
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

/** Of any recipient: it is only looked at, the provider tells whose account it is (decisions.md section 2, pay and disburse). */
export const DISBURSE_FIELDS = { ...COMMON_FIELDS, account_name: optional(ACCOUNT_NAME) };

/** The common fields as a request carries them on: absent ones left out. */
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

/** Which wallet is meant, where there is a choice (interface.md, field `currency`). */
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

/** `type` of a payout in these rules. */
export const payoutTypeField = onceFor(({ destinations }: PayoutRules) =>
  typeField(destinations.map(({ kind }) => kind)),
);

const recipientOf = new WeakMap<DestinationRules, DestinationReader<PayoutDestination>>();

/** Fields of a recipient; each rules object is of one currency. */
export function recipientFieldsOf(currency: Currency, rules: DestinationRules): DestinationReader<PayoutDestination> {
  const reader = recipientOf.get(rules) ?? recipientReader(currency, rules);
  recipientOf.set(rules, reader);
  return reader;
}

/** A payout, and what the operation's own fields hold. */
export type PayoutParts<R extends RuleSet> = Omit<PayoutRequest, 'reference' | 'callbackUrl'> & {
  readonly rest: ValuesOf<R>;
};

/**
 * What disburse and pay have in common: amount, fee and recipient by the rules of the currency, with every fault there is.
 * `more` are the fields of the operation besides. Errors: invalid_request, amount_out_of_range, unsupported_network,
 * unsupported_currency, unknown_bank, invalid_callback_url.
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

/** Kinds of recipient the request may mean: one, or where its type cannot be read all there are. */
function destinationsOf(
  { destinations }: PayoutRules,
  type: Read<{ readonly type: { readonly kind: DestinationKind } | undefined }>,
): readonly DestinationRules[] {
  const kind = type.ok ? type.value.type?.kind : undefined;
  return kind === undefined ? destinations : destinations.filter((rules) => rules.kind === kind);
}

/** Who is paid; where several kinds may be meant, only that what all of them need was sent. */
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

/** The body of a payout from the wallet, as parsed with raw numbers (decisions.md section 2). Errors: those of readPayout. */
export function parseDisburse(currency: Currency, body: RequestFields): Result<PayoutRequest> {
  const read = readPayout(currency, body, DISBURSE_FIELDS);
  if (!read.ok) return refusal(read.error);
  const { rest, ...payout } = read.value;
  return ok({ ...payout, ...commonPart(rest) });
}

/** What decides about an amount: decimals of the request, our limits, and what the network itself takes. */
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
  // Refused for its network in any case: its amount is judged by what any network would take.
  return { decimals: Math.max(...rules.networks.map(({ decimals }) => decimals)), limits: rules.limits, network: null };
}

/** What any of several kinds takes. */
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

/** Clients search for this text, and may read the number: it has no thousands (decisions.md section 1, Texts). */
const atLeast = (limit: string): string => `The amount field must be at least ${limit.replaceAll(',', '')}`;
const feeRule = (): string => 'fee must be at least 0 and less than amount';

type MoneyFields = ReturnType<typeof makeMoneyFields>;

const moneyFieldsByNetwork = onceFor((_rules: DestinationRules) => new Map<string | null, MoneyFields>());

/** Worked out once for each kind of recipient and network. */
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

/** An amount whose recipient is not known yet: the least and the most that any of them may be paid. */
export const anyAmountField = onceFor(
  ({ currency, destinations }: PayoutRules) => makeMoneyFields(currency, widest(destinations)).amount,
);

/** The fields of an amount and a fee, where the network is not known yet: the widest that any takes. */
export function widestMoneyFields(currency: PayoutRules['currency'], rules: DestinationRules): RuleSet {
  return moneyFields(currency, rules, amountRules(rules, undefined));
}

type Sums = Pick<PayoutRequest, 'amount' | 'fee'>;

/** Amount and fee: our limits count on the amount, the network's minimum on what the recipient gets (decisions.md section 3). */
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
