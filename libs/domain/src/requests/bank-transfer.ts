import type { Currency } from '../currency/currency.js';
import { TYPE_CHOICES, type BankRecipient } from '../destination/destination.js';
import { bankReader, type DestinationReader } from '../destination/destination-fields.js';
import {
  amountOf,
  faultsOf,
  oneOf,
  optional,
  readFields,
  refusal,
  required,
  type RequestFields,
  type RuleSet,
} from './field-rules.js';
import { formatLimit } from '../money/decimal.js';
import { money, zero } from '../money/money.js';
import { onceFor } from './once-for.js';
import { COMMON_FIELDS, commonPart, type PayoutRequest } from './payout-request.js';
import { fail, ok, type Problem, type Result } from '../result/result.js';

/** A payout without a markup. */
export type BankTransferRequest = PayoutRequest & { readonly destination: BankRecipient };

interface TransferFields {
  readonly account: DestinationReader<BankRecipient>;
  readonly rest: ReturnType<typeof restFields>;
}

/** `type` is not in the interface; if sent, it must fit (decisions.md section 1). */
function restFields(currency: Currency, { decimals, minMinor, maxMinor }: NonNullable<Currency['bankTransfer']>) {
  const text = (minor: bigint): string => formatLimit(minor, currency.decimals);
  const between = (): string => `amount must be between ${text(minMinor)} and ${text(maxMinor)} ${currency.code}`;
  const outOfRange = { code: 'amount_out_of_range', below: between, above: between } as const;
  return {
    amount: required(amountOf({ decimals, minorDecimals: currency.decimals, minMinor, maxMinor, outOfRange })),
    ...COMMON_FIELDS,
    type: optional(oneOf([TYPE_CHOICES.bank], 'invalid_request')),
  };
}

const transferFields = onceFor((currency: Currency): TransferFields | null => {
  const rules = currency.bankTransfer;
  if (rules === null) return null;
  return {
    account: bankReader(currency, rules, { accountName: false, bankName: false }),
    rest: restFields(currency, rules),
  };
});

/** null: not offered. */
export function bankTransferFields(currency: Currency): RuleSet | null {
  const fields = transferFields(currency);
  if (fields === null) return null;
  const { amount, ...rest } = fields.rest;
  return { amount, ...fields.account.fields, ...rest };
}

/**
 * All faults are listed with JSON pointers; code and message are the first one's. Errors: invalid_request,
 * amount_out_of_range, unknown_bank, invalid_callback_url, unsupported_currency.
 */
export function parseBankTransfer(currency: Currency, body: RequestFields): Result<BankTransferRequest, Problem> {
  const fields = transferFields(currency);
  if (fields === null) {
    return fail<Problem>({
      code: 'unsupported_currency',
      message: `bank transfers in ${currency.code} are not offered`,
    });
  }
  const { amount, ...others } = fields.rest;
  const sent = readFields(body, { amount });
  const account = fields.account.read(body);
  const rest = readFields(body, others);
  if (!sent.ok || !account.ok || !rest.ok) return refusal(faultsOf(sent, account, rest));
  return ok({
    amount: money(sent.value.amount, currency.code),
    fee: zero(currency.code),
    destination: account.value,
    ...commonPart(rest.value),
  });
}
