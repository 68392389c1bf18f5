import { resolveBank, type Bank } from './bank/bank.js';
import type { BankTransferRules, Currency } from './currency/currency.js';
import type { ErrorCode } from './errors.js';
import { formatLimit, parseDecimal } from './money.js';
import { fieldOf, isRawNumber, shapeOf } from './request-fields.js';
import { fail, ok, type Fault, type Problem, type Result } from './result.js';

/** A client's own reference, which becomes the transaction code (decisions.md section 1). */
export const REFERENCE_PATTERN = /^[A-Za-z0-9._:-]{1,100}$/;
export const MAX_URL_LENGTH = 2048;
const MAX_AMOUNT_TEXT = 100;

/** A bank transfer as the rules left it. `amountMinor` in minor units of the currency; the bank's code is canonical. */
export interface BankTransferRequest {
  readonly amountMinor: bigint;
  readonly destination: {
    readonly kind: 'bank';
    readonly account_number: string;
    readonly bank_code: string;
    readonly bank_name: string;
  };
  readonly reference?: string;
  readonly callbackUrl?: string;
}

type CodedFault = Fault & { readonly code: ErrorCode };
const BANK_TRANSFER_TYPE = 'BANK_TRANSFER';

type Parsed<T> = Result<T, CodedFault>;

function refuse(code: ErrorCode, field: string, detail: string): { readonly ok: false; readonly error: CodedFault } {
  return fail({ code, detail, pointer: `/${field}` });
}

/**
 * The body of a bank transfer, as parsed with raw numbers. Every fault is listed with its JSON pointer; code and
 * message are the first one's. Unknown fields are ignored. Errors: invalid_request, amount_out_of_range,
 * unknown_bank, unsupported_currency. The URL guard is the gateway's: here `callback_url` is only text.
 */
export function parseBankTransfer(
  currency: Currency,
  body: Readonly<Record<string, unknown>>,
): Result<BankTransferRequest, Problem> {
  const rules = currency.bankTransfer;
  if (rules === null) {
    return fail<Problem>({
      code: 'unsupported_currency',
      message: `bank transfers in ${currency.code} are not offered`,
    });
  }
  const amount = parseAmount(currency, rules, fieldOf(body, 'amount'));
  const account = parseAccountNumber(rules, fieldOf(body, 'account_number'));
  const bank = parseBank(currency, fieldOf(body, 'bank_code'), fieldOf(body, 'bank_name'));
  const reference = parseReference(fieldOf(body, 'reference'));
  const callbackUrl = parseCallbackUrl(fieldOf(body, 'callback_url'));
  const type = parseType(fieldOf(body, 'type'));
  if (!amount.ok || !account.ok || !bank.ok || !reference.ok || !callbackUrl.ok || !type.ok) {
    return refusal([amount, account, bank, reference, callbackUrl, type].flatMap((field) => (field.ok ? [] : [field.error])));
  }
  return ok({
    amountMinor: amount.value,
    destination: {
      kind: 'bank',
      account_number: account.value,
      bank_code: bank.value.code,
      bank_name: bank.value.name,
    },
    ...(reference.value === undefined ? {} : { reference: reference.value }),
    ...(callbackUrl.value === undefined ? {} : { callbackUrl: callbackUrl.value }),
  });
}

function refusal(faults: readonly CodedFault[]): Result<never, Problem> {
  const [first] = faults;
  if (first === undefined) throw new Error('a refusal without a fault');
  return fail<Problem>({
    code: first.code,
    message: `${first.detail}`,
    faults: faults.map(({ detail, pointer }) => ({ detail, pointer })),
  });
}

function parseAmount(currency: Currency, rules: BankTransferRules, value: unknown): Parsed<bigint> {
  if (value === undefined) return refuse('invalid_request', 'amount', 'amount is required');
  if (typeof value !== 'string' && !isRawNumber(value)) {
    return refuse('invalid_request', 'amount', `amount must be a number or a decimal string, not ${shapeOf(value)}`);
  }
  const text = value.toString();
  const outOfRange = (): Parsed<never> => {
    const [min, max] = [rules.minMinor, rules.maxMinor].map((limit) => formatLimit(limit, currency.decimals));
    return refuse('amount_out_of_range', 'amount', `amount must be between ${min ?? ''} and ${max ?? ''} ${currency.code}`);
  };
  // A well-formed number below zero breaks the limit, not the form.
  if (/^-\d+(\.\d+)?$/.test(text)) return outOfRange();
  if (text.length > MAX_AMOUNT_TEXT) {
    return refuse('invalid_request', 'amount', `amount must have at most ${String(MAX_AMOUNT_TEXT)} characters`);
  }
  const parsed = parseDecimal(text, rules.decimals);
  if (!parsed.ok) return refuse('invalid_request', 'amount', `amount ${parsed.error}`);
  const minor = parsed.value * 10n ** BigInt(currency.decimals - rules.decimals);
  return minor < rules.minMinor || minor > rules.maxMinor ? outOfRange() : ok(minor);
}

function parseAccountNumber(rules: BankTransferRules, value: unknown): Parsed<string> {
  if (value === undefined) return refuse('invalid_request', 'account_number', 'account_number is required');
  if (typeof value !== 'string') {
    return refuse('invalid_request', 'account_number', `account_number must be a string, not ${shapeOf(value)}`);
  }
  if (!rules.accountNumber.pattern.test(value)) {
    return refuse('invalid_request', 'account_number', `account_number must be ${rules.accountNumber.rule}`);
  }
  return ok(value);
}

function parseBank(currency: Currency, code: unknown, name: unknown): Parsed<Bank> {
  if (code === undefined) return refuse('invalid_request', 'bank_code', 'bank_code is required');
  if (typeof code !== 'string') {
    // A number has lost its leading zeros: 01 and 1 would be one bank.
    return refuse('invalid_request', 'bank_code', `bank_code must be a string, not ${shapeOf(code)}`);
  }
  if (name !== undefined && typeof name !== 'string') {
    return refuse('invalid_request', 'bank_name', `bank_name must be a string, not ${shapeOf(name)}`);
  }
  const bank = resolveBank(currency.code, code, name);
  if (bank.ok) return bank;
  const fault = bank.error.faults?.[0] ?? { detail: bank.error.message, pointer: '/bank_code' };
  return fail({ ...fault, code: bank.error.code });
}

/** The interface has no `type` here: one that is sent must name what this operation does (decisions.md section 1). */
function parseType(value: unknown): Parsed<undefined> {
  if (value === undefined || (typeof value === 'string' && value.toUpperCase() === BANK_TRANSFER_TYPE)) return ok(undefined);
  return refuse('invalid_request', 'type', `type must be ${BANK_TRANSFER_TYPE} where it is sent`);
}

function parseReference(value: unknown): Parsed<string | undefined> {
  if (value === undefined) return ok(undefined);
  if (typeof value !== 'string') {
    return refuse('invalid_request', 'reference', `reference must be a string, not ${shapeOf(value)}`);
  }
  if (!REFERENCE_PATTERN.test(value)) {
    const rule = 'reference must be 1 to 100 letters, digits or the characters . _ : -';
    return refuse('invalid_request', 'reference', rule);
  }
  return ok(value);
}

function parseCallbackUrl(value: unknown): Parsed<string | undefined> {
  if (value === undefined) return ok(undefined);
  if (typeof value !== 'string') {
    return refuse('invalid_callback_url', 'callback_url', `callback_url must be a string, not ${shapeOf(value)}`);
  }
  if (value.length > MAX_URL_LENGTH) {
    const rule = `callback_url must have at most ${String(MAX_URL_LENGTH)} characters`;
    return refuse('invalid_callback_url', 'callback_url', rule);
  }
  return ok(value);
}
