import type { AmountLimits, Currency, DestinationRules, MobileNetwork } from './currency/currency.js';
import { TYPE_CHOICES, type PayoutDestination } from './destination.js';
import {
  amountOf, choiceNamed, fault, numberText, oneOf, optional, readFields, refusal, required, text, textUpTo,
  type CodedFault, type RequestFields,
} from './field-rules.js';
import { formatLimit } from './money.js';
import { bankFields, COMMON_FIELDS, commonPart } from './payout-fields.js';
import { parsePhone } from './phone.js';
import { fieldOf } from './request-fields.js';
import { fail, ok, type Problem, type Result } from './result.js';

/** A payout from the wallet as the rules left it. Amounts in minor units of the currency; names and codes are canonical. */
export interface DisburseRequest {
  readonly amountMinor: bigint;
  /** The partner's markup, inside the amount. */
  readonly feeMinor: bigint;
  readonly destination: PayoutDestination;
  readonly reference?: string;
  readonly callbackUrl?: string;
}

type Read<T> = Result<T, readonly CodedFault[]>;

const MAX_NAME = 200;

/** A name that is sent is only looked at: the rail tells whose account it is. */
const NAMED_FIELDS = { ...COMMON_FIELDS, account_name: optional(textUpTo(MAX_NAME)) };

/** The form of what is there is judged elsewhere. */
const PRESENT = required(() => ok(undefined));

/**
 * The body of a payout from the wallet, as parsed with raw numbers: what `type` names, by the rules of the currency.
 * Faults as in `parseBankTransfer`. Errors: invalid_request, amount_out_of_range, unsupported_network, unknown_bank,
 * invalid_callback_url, unsupported_currency.
 */
export function parseDisburse(currency: Currency, body: RequestFields): Result<DisburseRequest, Problem> {
  if (currency.disburse === null) {
    return fail<Problem>({ code: 'unsupported_currency', message: `payouts in ${currency.code} are not offered` });
  }
  const rules = rulesOfType(currency.disburse, fieldOf(body, 'type'));
  const rest = readFields(body, NAMED_FIELDS);
  // What else must be sent depends on the type.
  if (!rules.ok) return refusal([rules.error, ...faultsOf(rest)]);
  const money = readMoney(currency, rules.value, body);
  const recipient = readRecipient(currency, rules.value, body);
  if (!money.ok || !recipient.ok || !rest.ok) return refusal([...faultsOf(money), ...faultsOf(recipient), ...faultsOf(rest)]);
  return ok({ ...money.value, destination: recipient.value, ...commonPart(rest.value) });
}

function faultsOf(read: Read<unknown>): readonly CodedFault[] {
  return read.ok ? [] : read.error;
}

/** A `type` is needed only where there is a choice; one that is sent must fit in any case (decisions.md section 1). */
function rulesOfType(offered: readonly DestinationRules[], type: unknown): Result<DestinationRules, CodedFault> {
  const [only, ...others] = offered;
  if (type === undefined && only !== undefined && others.length === 0) return ok(only);
  const named = required(oneOf(offered.map(({ kind }) => TYPE_CHOICES[kind]), 'invalid_request'))(type, 'type');
  if (!named.ok) return named;
  const rules = offered.find(({ kind }) => kind === named.value.kind);
  if (rules === undefined) throw new Error('a type was chosen that was not offered');
  return ok(rules);
}

/** What decides about an amount: decimals of the request, our limits, and what the network itself takes. */
interface AmountTerms {
  readonly decimals: number;
  readonly limits: AmountLimits;
  readonly network: { readonly name: string; readonly limits: AmountLimits } | null;
}

function amountTerms(rules: DestinationRules, sentNetwork: unknown): AmountTerms {
  if (rules.kind !== 'mobile') {
    const { decimals, limits, networkLimits } = rules;
    return { decimals, limits, network: networkLimits && { name: 'the network', limits: networkLimits } };
  }
  const network = choiceNamed<MobileNetwork>(rules.networks, sentNetwork);
  if (network) return { decimals: network.decimals, limits: rules.limits, network: { name: network.name, limits: network.networkLimits } };
  // Refused for its network in any case: its amount is judged by what any network would take.
  return { decimals: Math.max(...rules.networks.map(({ decimals }) => decimals)), limits: rules.limits, network: null };
}

/** Amount and fee: our limits count on the amount, the network's minimum on what the recipient gets (decisions.md section 3). */
function readMoney(currency: Currency, rules: DestinationRules, body: RequestFields): Read<{ amountMinor: bigint; feeMinor: bigint }> {
  const { decimals, limits, network } = amountTerms(rules, fieldOf(body, 'mobile_network'));
  const text = (minor: bigint): string => formatLimit(minor, currency.decimals);
  // Clients search for this text (decisions.md section 1, Texts).
  const atLeast = (minor: bigint): string => `The amount field must be at least ${text(minor)}`;
  const maxMinor = network && network.limits.maxMinor < limits.maxMinor ? network.limits.maxMinor : limits.maxMinor;
  const form = { decimals, minorDecimals: currency.decimals, maxMinor };
  const feeRule = (): string => 'fee must be at least 0 and less than amount';
  const read = readFields(body, {
    amount: required(
      amountOf({
        ...form,
        minMinor: limits.minMinor,
        outOfRange: {
          code: 'amount_out_of_range',
          below: () => atLeast(limits.minMinor),
          above: () => `amount must be at most ${text(maxMinor)} ${currency.code}`,
        },
      }),
    ),
    fee: optional(amountOf({ ...form, minMinor: 0n, outOfRange: { code: 'invalid_request', below: feeRule, above: feeRule } })),
  });
  if (!read.ok) return read;
  const { amount, fee = 0n } = read.value;
  if (fee >= amount) return faults(fault('invalid_request', 'fee', feeRule()));
  if (network && amount - fee < network.limits.minMinor) {
    const why = `the recipient gets amount less fee, and ${network.name} takes no less than ${text(network.limits.minMinor)} ${currency.code}`;
    return faults(fault('amount_out_of_range', 'amount', `${atLeast(network.limits.minMinor + fee)}: ${why}`));
  }
  return ok({ amountMinor: amount, feeMinor: fee });
}

function faults({ error }: { readonly error: CodedFault }): { readonly ok: false; readonly error: readonly CodedFault[] } {
  return fail([error]);
}

function readRecipient(currency: Currency, rules: DestinationRules, body: RequestFields): Read<PayoutDestination> {
  switch (rules.kind) {
    case 'mobile': {
      const read = readFields(body, {
        shortcode: required(text((sent) => parsePhone(sent, currency) !== null, `be a mobile number such as ${currency.phone.example}`)),
        mobile_network: required(oneOf(rules.networks, 'unsupported_network')),
      });
      if (!read.ok) return read;
      const { shortcode, mobile_network } = read.value;
      return ok({ kind: 'mobile', phone: parsePhone(shortcode, currency) ?? shortcode, mobile_network: mobile_network.name });
    }
    case 'paybill': {
      const read = readFields(body, {
        shortcode: required(numberText(rules.shortcode)),
        account_number: required(numberText(rules.accountNumber)),
      });
      return read.ok ? ok({ kind: 'paybill', ...read.value }) : read;
    }
    case 'till': {
      const read = readFields(body, { shortcode: required(numberText(rules.shortcode)) });
      return read.ok ? ok({ kind: 'till', ...read.value }) : read;
    }
    case 'bank': {
      const named = rules.namesRequired ? { account_name: PRESENT, bank_name: PRESENT } : {};
      const read = readFields(body, { ...bankFields(currency.code, rules, fieldOf(body, 'bank_name')), ...named });
      if (!read.ok) return read;
      const { account_number, bank_code: bank } = read.value;
      return ok({ kind: 'bank', account_number, bank_code: bank.code, bank_name: bank.name });
    }
  }
}
