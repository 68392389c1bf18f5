import { isObject } from '../../simulation/plain-server.js';
import { currencyText, type RefusalCode, REFUSALS, type RefusalText } from '../behaviour/refusals.js';
import type { TransferRequest } from '../book/book-line.js';
import { hundredths, isAmount } from '../data/amount.js';
import { CURRENCY, findBank, isAccountOf } from '../data/bank-table.js';

export type ParsedTransfer = { readonly request: TransferRequest } | { readonly refusal: RefusalText };

const TEXTS = ['account_name', 'account_number', 'amount', 'currency', 'reference'] as const;
const REQUIRED = ['account_name', 'account_number', 'amount', 'currency', 'bank_code'] as const;
const MAX_TEXT = 100;

/** `made` is the reference where none is given [D]. Members that nobody knows are passed over, as PHP does. */
export function parseTransfer(body: unknown, made: () => string): ParsedTransfer {
  if (!isObject(body)) return refused('required_attribute', { amount: ['validation.required'] });
  const missing = REQUIRED.filter((name) => body[name] === undefined || body[name] === null || body[name] === '');
  if (missing.length > 0) return refused('required_attribute', rules(missing, 'required'));
  const { reference = made() } = body;
  const values = { ...body, reference } as Record<string, unknown>;
  const strange = TEXTS.filter((name) => typeof values[name] !== 'string' || values[name].length > MAX_TEXT);
  if (strange.length > 0) return refused('required_attribute', rules(strange, 'string'));
  const request = {
    reference,
    accountName: body['account_name'],
    accountNumber: body['account_number'],
    amount: body['amount'],
    currency: body['currency'],
    bankCode: body['bank_code'],
  } as TransferRequest;
  return checkValues(request);
}

function checkValues(request: TransferRequest): ParsedTransfer {
  const { amount, currency, bankCode, accountNumber, reference } = request;
  if (!isAmount(amount) || hundredths(amount) === 0n)
    return refused('required_attribute', rules(['amount'], 'numeric'));
  if (reference === '') return refused('required_attribute', rules(['reference'], 'required'));
  if (currency !== CURRENCY) return refused('currency', currencyText(currency));
  const bank = typeof bankCode === 'number' ? findBank(bankCode) : undefined;
  if (bank === undefined) return refused('bank_code');
  if (!isAccountOf(bank, accountNumber))
    return refused('account_not_valid', `The account number is not valid for ${bank.name}`);
  return { request };
}

/** As Laravel words them: by member. */
function rules(names: readonly string[], rule: string): Record<string, string[]> {
  return Object.fromEntries(names.map((name) => [name, [`validation.${rule}`]]));
}

function refused(code: RefusalCode, message: RefusalText['message'] = REFUSALS[code].message): ParsedTransfer {
  return { refusal: { status: REFUSALS[code].status, message } };
}
