import { resolveBank, type Bank } from './bank/bank.js';
import type { ErrorCode } from './errors.js';
import { fault, numberText, optional, required, text, textUpTo, type FieldRule } from './field-rules.js';
import type { BankRules } from './currency/currency.js';
import { shapeOf } from './request-fields.js';
import { fail } from './result.js';

/** A client's own reference, which becomes the transaction code (decisions.md section 1). */
export const REFERENCE_PATTERN = /^[A-Za-z0-9._:-]{1,100}$/;
export const MAX_URL_LENGTH = 2048;

/** What every payout may carry. The URL guard is the gateway's: here `callback_url` is only text. */
export const COMMON_FIELDS = {
  reference: optional(
    text((sent) => REFERENCE_PATTERN.test(sent), 'be 1 to 100 letters, digits or the characters . _ : -'),
  ),
  callback_url: optional(textUpTo(MAX_URL_LENGTH, 'invalid_callback_url')),
};

/** The common fields as a request carries them on: absent ones left out. */
export function commonPart({ reference, callback_url }: { reference: string | undefined; callback_url: string | undefined }): {
  readonly reference?: string;
  readonly callbackUrl?: string;
} {
  return { ...(reference !== undefined && { reference }), ...(callback_url !== undefined && { callbackUrl: callback_url }) };
}

/** An account at a bank. `bankName` as sent: it is judged with the code. */
export function bankFields(currency: string, { accountNumber }: BankRules, bankName: unknown) {
  return { account_number: required(numberText(accountNumber)), bank_code: required(bankOf(currency, bankName)) };
}

/** The usable bank of a code or alias. Errors: unknown_bank, and invalid_request where the name is no text. */
function bankOf(currency: string, bankName: unknown): FieldRule<Bank> {
  return (value, field) => {
    if (typeof value !== 'string') return fault('invalid_request', field, `${field} must be a string, not ${shapeOf(value)}`);
    if (bankName !== undefined && typeof bankName !== 'string') {
      return fault('invalid_request', 'bank_name', `bank_name must be a string, not ${shapeOf(bankName)}`);
    }
    const bank = resolveBank(currency, value, bankName);
    if (bank.ok) return bank;
    const code: ErrorCode = bank.error.code;
    return fail({ code, ...(bank.error.faults?.[0] ?? { detail: bank.error.message, pointer: `/${field}` }) });
  };
}
