import { currencyDecimals, money } from '@vuka/domain';
import { z } from 'zod';

import { deferred, notPaidBy, queryFailed, rowOf, unknown } from '../../outcome-class.js';
import type { PayoutInstruction, ProviderAnswer } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { MAX_TEXT, providerText } from '../../provider-text.js';
import type { BankCodes } from './banks.js';
import { accountOf, localPhone, type PaystackAccount } from './channels.js';
import { DUPLICATES, ENDED, NO_RECIPIENT } from './codes.js';
import { readRefusal, type ReadRefusal, refusedBy } from './refusals.js';
import { referenceOf, tillReferenceOf } from './reference.js';

/** Both ways between our words and Paystack's. Pure: no clock, no network. Shapes: [D] PaystackOSS/doc-code-snippets, transfers. */

export interface RequestOptions {
  /** What the recipient's bank may show. */
  readonly reason: string;
  readonly kesBanks: BankCodes;
}

const recipient = z.object({
  type: z.string(),
  details: z.object({
    account_number: z.string(),
    account_name: z.string().nullish(),
    bank_code: z.string().nullish(),
    account_reference: z.string().nullish(),
  }),
});

const wholeNumber = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** Times are not read: their names differ between samples. */
export const transferRecord = z.object({
  reference: z.string(),
  status: z.string(),
  amount: wholeNumber,
  currency: z.string(),
  transfer_code: z.string().nullish(),
  fee_charged: wholeNumber.nullish().catch(null),
  account_reference: z.string().nullish(),
  // A number where the transfer was just made.
  recipient: recipient.nullish().catch(null),
});
type TransferRecord = z.infer<typeof transferRecord>;

const envelope = z.object({ status: z.literal(true), data: transferRecord });

export type Prepared =
  | { readonly account: PaystackAccount; readonly bodyTo: (recipientCode: string) => object }
  | { readonly refusal: ProviderAnswer };

/** Amounts are in minor units, in every currency [D]. */
export function toRequest({ attemptId, amount, destination }: PayoutInstruction, options: RequestOptions): Prepared {
  const account = accountOf(amount.currency, destination, options.kesBanks);
  if (account === null) return { refusal: deferred('config', 'Paystack does not pay there: check the routes') };
  const unit = 10n ** BigInt(currencyDecimals(amount.currency) - account.channel.decimals);
  const isCarried = amount.minor > 0n && amount.minor % unit === 0n && amount.minor <= Number.MAX_SAFE_INTEGER;
  // Refused, never rounded: the recipient would get another amount.
  if (!isCarried)
    return {
      refusal: {
        outcome: 'not_paid',
        code: 'amount_not_accepted',
        routeLeft: true,
        detail: 'an amount that cannot be carried there',
      },
    };
  const { type } = account.channel;
  return {
    account,
    bodyTo: (recipientCode) => ({
      source: 'balance',
      amount: Number(amount.minor),
      recipient: recipientCode,
      reference: referenceOf(attemptId),
      reason: options.reason,
      currency: amount.currency,
      // [D] required of tills and paybills.
      ...(type === 'mobile_money_business' && {
        account_reference: account.accountReference ?? tillReferenceOf(attemptId),
      }),
    }),
  };
}

/** Paystack has this reference and says no more: ask for its record. */
export interface Duplicate {
  readonly outcome: 'duplicate';
}

/** The recipient's code is not known any more, and nothing was taken. */
export interface NoRecipient {
  readonly outcome: 'no_recipient';
  readonly answer: ProviderAnswer;
}

/** The answer of POST /transfer. `success` is not "paid" here: the record says so. */
export function readSubmit(
  reply: ProviderReply,
  instruction: PayoutInstruction,
  { kesBanks }: Pick<RequestOptions, 'kesBanks'>,
): ProviderAnswer | Duplicate | NoRecipient {
  if (reply.kind === 'no_answer') return reply.unsent ? deferred('unreachable', reply.detail) : unknown(reply.detail);
  const { status, body } = reply;
  const refusal = readRefusal(status, body);
  if (refusal !== null) return readTurnedDown(refusal, status, referenceOf(instruction.attemptId));
  const { data } = envelope.safeParse(body);
  if (data === undefined || status >= 300) return unknown(`HTTP ${status} in a shape we do not know`);
  const record = data.data;
  if (record.reference !== referenceOf(instruction.attemptId)) return unknown('the answer is about another reference');
  const differs = differenceOf(record, instruction, kesBanks);
  if (differs !== null) return mismatch(differs);
  return underway(record);
}

function readTurnedDown(
  refusal: ReadRefusal,
  status: number,
  reference: string,
): ProviderAnswer | Duplicate | NoRecipient {
  const { code, message } = refusal;
  if (DUPLICATES.some((beginning) => message.startsWith(beginning))) {
    const named: readonly string[] = message.match(/[a-z0-9_-]{16,50}/g) ?? [];
    return named.length === 0 || named.includes(reference)
      ? { outcome: 'duplicate' }
      : unknown('a duplicate of another reference');
  }
  const answer = refusedBy(refusal, `HTTP ${status}`);
  const isGone = code === NO_RECIPIENT.code || (code === undefined && message === NO_RECIPIENT.text);
  return isGone && answer.outcome === 'deferred' ? { outcome: 'no_recipient', answer } : answer;
}

/** The answer of GET /transfer/verify/{reference}. */
export function readQuery(
  reply: ProviderReply,
  instruction: PayoutInstruction,
  { kesBanks }: Pick<RequestOptions, 'kesBanks'>,
): ProviderAnswer {
  if (reply.kind === 'no_answer') return queryFailed(reply.detail);
  const { status, body } = reply;
  const refusal = readRefusal(status, body);
  // [D] the one text of it.
  if (status === 404 && refusal?.message === 'Transfer not found')
    return { outcome: 'unknown', detail: 'the provider does not know our reference', notFound: true };
  if (status !== 200) return queryFailed(`HTTP ${status} ${refusal?.row?.name ?? 'without a refusal that we know'}`);
  const { data } = envelope.safeParse(body);
  return data === undefined
    ? queryFailed('a transfer in a shape we do not know')
    : readRecord(data.data, instruction, kesBanks);
}

const EVENTS: Readonly<Record<string, string>> = {
  'transfer.success': 'success',
  'transfer.failed': 'failed',
  'transfer.reversed': 'reversed',
};
const callbackBody = z.object({ event: z.string(), data: transferRecord });

/** The body of a callback: an event, and the same record. Each other event is no word about a payout. */
export function readCallback(body: unknown, instruction: PayoutInstruction, kesBanks: BankCodes): ProviderAnswer {
  const { data: callback } = callbackBody.safeParse(body);
  if (callback === undefined) return queryFailed('a callback in a shape we do not know');
  const { event, data } = callback;
  if (!Object.hasOwn(EVENTS, event) || EVENTS[event] !== data.status)
    return queryFailed('a callback whose event and status say different things');
  return readRecord(data, instruction, kesBanks);
}

/** Whose transfer a callback names; null where none. */
export function referenceIn(body: unknown): string | null {
  return z.object({ data: z.object({ reference: z.string() }) }).safeParse(body).data?.data.reference ?? null;
}

function readRecord(record: TransferRecord, instruction: PayoutInstruction, kesBanks: BankCodes): ProviderAnswer {
  if (record.reference !== referenceOf(instruction.attemptId))
    return queryFailed('the answer is about another reference');
  const differs = differenceOf(record, instruction, kesBanks);
  if (differs !== null) return mismatch(differs);
  const ended = rowOf(ENDED, record.status);
  if (ended !== undefined)
    return { outcome: 'not_paid', ...notPaidBy(ended), detail: record.status.toUpperCase(), ...named(record) };
  switch (record.status) {
    case 'success':
      return paid(record, instruction);
    case 'reversed':
      return cameBack(record);
    default:
      return underway(record);
  }
}

/** What of the record is not as instructed. A recipient that is not told is not held against it. */
function differenceOf(
  record: TransferRecord,
  { amount, destination }: PayoutInstruction,
  kesBanks: BankCodes,
): string | null {
  if (record.currency !== amount.currency) return 'currency';
  if (BigInt(record.amount) !== amount.minor) return 'amount';
  if (!record.recipient) return null;
  const account = accountOf(amount.currency, destination, kesBanks);
  const { type, details } = record.recipient;
  if (type !== account?.channel.type) return 'kind of recipient';
  if (details.bank_code !== account.bankCode) return 'bank or network';
  const isPhone = destination.kind === 'mobile';
  const told = isPhone ? localPhone(details.account_number) : details.account_number;
  if (told !== account.accountNumber) return 'account number';
  const reference = record.account_reference ?? details.account_reference ?? account.accountReference;
  return account.accountReference === null || reference === account.accountReference ? null : 'account at the paybill';
}

/** A transfer has one code, from its beginning. The bank's session id may come later, and two receipts would be two payments. */
export function receiptOf({ transfer_code: code }: Pick<TransferRecord, 'transfer_code'>): string {
  return providerText(code ?? '', MAX_TEXT.receipt);
}

function paid(record: TransferRecord, { amount, destination }: PayoutInstruction): ProviderAnswer {
  const receipt = receiptOf(record);
  if (receipt === '') return queryFailed('success without a transfer code');
  if (!record.recipient) return queryFailed('success without its recipient');
  const { details } = record.recipient;
  const name = providerText(details.account_name ?? '', MAX_TEXT.name);
  const { fee_charged: fee } = record;
  return {
    outcome: 'succeeded',
    receipt,
    publicName: name === '' ? null : name,
    amount,
    recipient: destination.kind === 'mobile' ? destination.phone : details.account_number,
    ...(typeof fee === 'number' && fee > 0 && { fee: money(BigInt(fee), amount.currency) }),
    ...named(record),
  };
}

/** [D] also of what the bank never took: "the transfer amount is returned". */
function cameBack(record: TransferRecord): ProviderAnswer {
  const receipt = receiptOf(record);
  if (receipt === '') return queryFailed('reversed without a transfer code');
  return { outcome: 'reversed', receipt, detail: 'REVERSED', elseNotPaid: 'rail_rejected', ...named(record) };
}

/** pending, received, otp, and what is in no table. */
function underway(record: TransferRecord): ProviderAnswer {
  return {
    outcome: 'submitted',
    // [D] it is not processed before somebody gives the password, and is abandoned after 30 minutes.
    ...(record.status === 'otp' && { waitsForUs: 'OTP: give or switch off the one-time password in the dashboard' }),
    ...named(record),
  };
}

/** Its own id, where it can be kept as it is. */
function named({ transfer_code: code }: TransferRecord): { readonly providerPaymentId?: string } {
  const isClean = typeof code === 'string' && code !== '' && providerText(code, MAX_TEXT.paymentId) === code;
  return isClean ? { providerPaymentId: code } : {};
}

function mismatch(what: string): ProviderAnswer {
  return { outcome: 'mismatch', detail: `the provider's record has another ${what}` };
}
