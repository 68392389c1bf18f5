import { fromHundredths, hundredths } from '../data/amount.js';
import { isUnpaid } from '../behaviour/behaviour.js';
import type { Terms } from '../book/book-line.js';
import type { Transfer } from '../book/transfer.js';
import { BANKS, COUNTRY_PREFIX, findBank, OTHER_CURRENCY } from '../data/bank-table.js';

export const UNKNOWN_REFERENCE = 'NOBODYKNOWS00000';

/** `data` of verify [D], its number's faults included. */
export function verifyView(transfer: Transfer, mode: 'live' | 'test'): Record<string, unknown> {
  const { request, terms, behaviour, status } = transfer;
  const fault = behaviour.record ?? {};
  const bankCode = fault.bank === 'other' ? otherBank(terms.bankCode) : terms.bankCode;
  return {
    account_name: fault.name === 'other' ? 'Somebody Else' : request.accountName,
    account_number: verifiedAccount(transfer),
    mobile: null,
    currency: fault.currency === 'other' ? OTHER_CURRENCY : request.currency,
    amount: verifiedAmount(transfer),
    charge: asNumber(fromHundredths(transfer.charge)),
    mode,
    transfer_method: 'bank',
    narration: null,
    chapa_transfer_id: transfer.id,
    bank_code: bankCode,
    bank_name: (fault.bank === 'misnamed' ? BANKS[0] : findBank(bankCode))?.name,
    cross_party_reference: receiptIn(transfer),
    ip_address: 'UNKNOWN',
    status,
    tx_ref: fault.reference === 'other' ? UNKNOWN_REFERENCE : request.reference,
    created_at: timeText(transfer.acceptedAtMs),
    updated_at: timeText(transfer.updatedAtMs),
  };
}

/** One row of all transfers; there, what is not paid is "failed/cancelled" [I]. */
export function listView(transfer: Transfer): Record<string, unknown> {
  const { request, terms, status } = transfer;
  return {
    account_name: request.accountName,
    account_number: terms.accountNumber,
    currency: request.currency,
    amount: asNumber(terms.amount),
    charge: asNumber(fromHundredths(transfer.charge)),
    transfer_type: 'bank',
    chapa_reference: transfer.chapaReference,
    bank_code: terms.bankCode,
    bank_name: findBank(terms.bankCode)?.name,
    bank_reference: status === 'success' ? (transfer.standing?.receipt ?? null) : null,
    status: isUnpaid(status) ? 'failed/cancelled' : status,
    reference: request.reference,
    created_at: timeText(transfer.acceptedAtMs),
    updated_at: timeText(transfer.updatedAtMs),
  };
}

/** What the book says to who tests: nothing is hidden. */
export function bookView(transfer: Transfer): Record<string, unknown> {
  const { request, status, payments, behaviour, waitsForApproval } = transfer;
  return {
    ...request,
    status,
    waitsForApproval,
    sentence: behaviour.sentence,
    payments: payments.map(({ atMs, ...payment }) => ({ ...payment, at: timeText(atMs) })),
  };
}

function verifiedAccount({ terms, behaviour }: Transfer): string {
  const fault = behaviour.record?.account;
  if (fault === 'other') return otherAccount(terms).accountNumber;
  return fault === 'international' ? COUNTRY_PREFIX + terms.accountNumber.replace(/^0/, '') : terms.accountNumber;
}

function verifiedAmount({ terms, behaviour }: Transfer): number | string {
  const fault = behaviour.record?.amount;
  if (fault === 'text') return oneMore(terms.amount, 0n);
  return asNumber(fault === 'other' ? oneMore(terms.amount) : terms.amount);
}

/** The bank's. Null in the documents' sample, '' in an older one: whether it is ever there is unconfirmed [U]. */
function receiptIn({ status, standing, behaviour }: Transfer): string | null {
  const fault = behaviour.record?.receipt;
  if (fault === 'null') return null;
  return fault === 'empty' || status !== 'success' ? '' : (standing?.receipt ?? '');
}

/** Amounts are JSON numbers there [D]. */
export function asNumber(decimal: string): number {
  return JSON.parse(decimal) as number;
}

/** With two decimals; by default one whole more. */
export function oneMore(amount: string, more = 100n): string {
  return fromHundredths(hundredths(amount) + more);
}

export function chargeText({ charge }: Transfer): string {
  return fromHundredths(charge);
}

/** Microseconds, UTC [D]. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, '.000000Z');
}

/** The last four digits stay. */
export function otherAccount(terms: Terms): Terms {
  const { accountNumber } = terms;
  const digit = accountNumber.at(-5) === '0' ? '1' : '0';
  return { ...terms, accountNumber: accountNumber.slice(0, -5) + digit + accountNumber.slice(-4) };
}

/** A bank for a bank, a wallet for a wallet, with accounts as long. */
export function otherBank(id: number): number {
  const bank = findBank(id);
  const other = BANKS.find(
    (one) => one.id !== id && one.acct_length === bank?.acct_length && one.is_mobilemoney === bank.is_mobilemoney,
  );
  return other?.id ?? id;
}
