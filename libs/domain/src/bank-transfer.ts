import { amountOf, choiceNamed, fault, readFields, refusal, required, type FieldRule, type RequestFields } from './field-rules.js';
import type { Currency } from './currency/currency.js';
import { PAYOUT_TYPES, TYPE_CHOICES, type BankRecipient } from './destination.js';
import { formatLimit } from './money.js';
import { bankFields, COMMON_FIELDS, commonPart } from './payout-fields.js';
import { fieldOf } from './request-fields.js';
import { fail, ok, type Problem, type Result } from './result.js';

export { MAX_URL_LENGTH, REFERENCE_PATTERN } from './payout-fields.js';

/** A bank transfer as the rules left it. `amountMinor` in minor units of the currency; the bank's code is canonical. */
export interface BankTransferRequest {
  readonly amountMinor: bigint;
  readonly destination: BankRecipient;
  readonly reference?: string;
  readonly callbackUrl?: string;
}

/** The interface has no `type` here: one that is sent must name what this operation does (decisions.md section 1). */
const BANK_TYPE: FieldRule<undefined> = (value, field) =>
  value === undefined || choiceNamed([TYPE_CHOICES.bank], value)
    ? ok(undefined)
    : fault('invalid_request', field, `${field} must be ${PAYOUT_TYPES.bank} where it is sent`);

/**
 * The body of a bank transfer, as parsed with raw numbers. Every fault is listed with its JSON pointer; code and
 * message are the first one's. Unknown fields are ignored. Errors: invalid_request, amount_out_of_range,
 * unknown_bank, invalid_callback_url, unsupported_currency.
 */
export function parseBankTransfer(currency: Currency, body: RequestFields): Result<BankTransferRequest, Problem> {
  const rules = currency.bankTransfer;
  if (rules === null) {
    return fail<Problem>({ code: 'unsupported_currency', message: `bank transfers in ${currency.code} are not offered` });
  }
  const { decimals, minMinor, maxMinor } = rules;
  const text = (minor: bigint): string => formatLimit(minor, currency.decimals);
  const between = (): string => `amount must be between ${text(minMinor)} and ${text(maxMinor)} ${currency.code}`;
  const outOfRange = { code: 'amount_out_of_range', below: between, above: between } as const;
  const read = readFields(body, {
    amount: required(amountOf({ decimals, minorDecimals: currency.decimals, minMinor, maxMinor, outOfRange })),
    ...bankFields(currency.code, rules, fieldOf(body, 'bank_name')),
    ...COMMON_FIELDS,
    type: BANK_TYPE,
  });
  if (!read.ok) return refusal(read.error);
  const { amount, account_number, bank_code: bank } = read.value;
  return ok({
    amountMinor: amount,
    destination: { kind: 'bank', account_number, bank_code: bank.code, bank_name: bank.name },
    ...commonPart(read.value),
  });
}
