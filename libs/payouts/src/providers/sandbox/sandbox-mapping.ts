import { currencyDecimals, type FailureCode, formatMoney, parseDecimal } from '@vuka/domain';
import { z } from 'zod';

import type { PayoutInstruction, ProviderAnswer, ProviderPayment } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { MAX_TEXT, providerCode, providerText } from '../../provider-text.js';
import { recipientDifference, recipientNumber, toWire, wireRecipient } from './sandbox-recipient.js';

/** docs/engineers/sandbox-providers.md */

const acceptance = z.object({ id: z.string(), status: z.string() });

const receiptText = z.string().transform((text) => providerText(text, MAX_TEXT.receipt));

const payoutRecord = z.object({
  id: z.string(),
  status: z.string(),
  amount: z.string().regex(/^\d{1,38}(\.\d{1,18})?$/),
  currency: z.string(),
  recipient: wireRecipient,
  receipt: receiptText.optional(),
  name: z
    .string()
    .transform((text) => providerText(text, MAX_TEXT.name))
    .optional(),
  code: z.string().optional(),
  payments: z.array(z.object({ receipt: receiptText, status: z.string() })).optional(),
});
type PayoutRecord = z.infer<typeof payoutRecord>;

const refusal = z.object({ code: z.string() });

/** Others mean pending. */
const STATUSES = {
  PROCESSING: () => ({ outcome: 'submitted' }),
  PAID: paid,
  FAILED: notPaid,
  REVERSED: paid,
} as const satisfies Record<string, (record: PayoutRecord, instruction: PayoutInstruction) => ProviderAnswer>;

/** Others prove nothing: pending. */
const FAILURES = {
  RECIPIENT_NOT_FOUND: { code: 'recipient_not_found', routeLeft: false },
  REJECTED: { code: 'rail_rejected', routeLeft: false },
  EXPIRED: { code: 'expired_at_rail', routeLeft: false },
  // Another provider may reach the recipient.
  CHANNEL_UNAVAILABLE: { code: 'rail_unavailable', routeLeft: true },
} as const satisfies Record<string, { code: FailureCode; routeLeft: boolean }>;

/** Each proves that nothing was taken, or that our id belongs to another payout. */
const REFUSALS = {
  INVALID_REQUEST: (detail) => ({ outcome: 'deferred', reason: 'config', detail }),
  UNAUTHORIZED: (detail) => ({ outcome: 'deferred', reason: 'config', detail }),
  INSUFFICIENT_FLOAT: (detail) => ({ outcome: 'deferred', reason: 'float', detail }),
  BUSY: (detail) => ({ outcome: 'deferred', reason: 'corridor_off', detail }),
  BOOK_FULL: (detail) => ({ outcome: 'deferred', reason: 'corridor_off', detail }),
  ID_REUSED: (detail) => ({ outcome: 'mismatch', detail }),
} as const satisfies Record<string, (detail: string) => ProviderAnswer>;

export function submitBody({ attemptId, orderId, amount, destination }: PayoutInstruction): object {
  return {
    id: attemptId,
    order: orderId,
    amount: formatMoney(amount),
    currency: amount.currency,
    recipient: toWire(destination),
  };
}

/** The provider already had this id: query its status. */
export interface Duplicate {
  readonly outcome: 'duplicate';
}

export function readSubmit(reply: ProviderReply, instruction: PayoutInstruction): ProviderAnswer | Duplicate {
  // Nothing was taken: another provider may be tried at once.
  if (reply.kind === 'no_answer')
    return reply.unsent ? { outcome: 'deferred', reason: 'unreachable', detail: reply.detail } : unknown(reply.detail);
  if (reply.status >= 400) return readRefusal(reply.status, reply.body);
  const parsed = acceptance.safeParse(reply.body);
  if (!parsed.success) return unknown(`HTTP ${reply.status} in a shape we do not know`);
  if (parsed.data.id !== instruction.attemptId) return unknown('the answer is about another id');
  if (reply.status === 202) return { outcome: 'submitted' };
  if (reply.status === 200) return { outcome: 'duplicate' };
  return unknown(`HTTP ${reply.status}`);
}

function readRefusal(status: number, body: unknown): ProviderAnswer {
  const code = refusal.safeParse(body).data?.code;
  const detail = `HTTP ${status} ${providerCode(code)}`;
  return code !== undefined && isKeyOf(REFUSALS, code) ? REFUSALS[code](detail) : unknown(detail);
}

export function readQuery(reply: ProviderReply, instruction: PayoutInstruction): ProviderAnswer {
  if (reply.kind === 'no_answer') return queryFailed(reply.detail);
  if (reply.status !== 200) {
    const code = refusal.safeParse(reply.body).data?.code;
    if (reply.status === 404 && code === 'PAYOUT_NOT_FOUND')
      return { outcome: 'unknown', detail: 'the provider does not know our id', notFound: true };
    return queryFailed(`HTTP ${reply.status} ${providerCode(code)}`);
  }
  const parsed = payoutRecord.safeParse(reply.body);
  if (!parsed.success) return queryFailed('a status in a shape we do not know');
  const record = parsed.data;
  if (record.id !== instruction.attemptId) return queryFailed('the answer is about another id');
  const differs = differenceOf(record, instruction);
  if (differs !== null) return { outcome: 'mismatch', detail: `the provider's record has another ${differs}` };
  return isKeyOf(STATUSES, record.status) ? STATUSES[record.status](record, instruction) : { outcome: 'submitted' };
}

/** providers.md 0.6. */
function differenceOf(record: PayoutRecord, { amount, destination }: PayoutInstruction): string | null {
  if (record.currency !== amount.currency) return 'currency';
  const recorded = parseDecimal(record.amount, currencyDecimals(amount.currency));
  if (!recorded.ok || recorded.value !== amount.minor) return 'amount';
  return recipientDifference(record.recipient, destination);
}

/** Both had a payment. Its line in `payments` says which state is current. */
function paid(record: PayoutRecord, instruction: PayoutInstruction): ProviderAnswer {
  const { receipt, name, status, payments = [] } = record;
  if (receipt === undefined || receipt === '') return queryFailed(`${status} without a receipt`);
  const others = otherPayments(record, receipt);
  if (others === null) return queryFailed('a payment without a receipt');
  const more = others.length > 0 ? { otherPayments: others } : {};
  const publicName = name === undefined || name === '' ? null : name;
  if (
    status === 'REVERSED' ||
    payments.some((payment) => payment.receipt === receipt && payment.status === 'REVERSED')
  ) {
    return { outcome: 'reversed', receipt, publicName, detail: 'REVERSED', ...more };
  }
  // differenceOf proved that the provider reported the same ones.
  const recipient = recipientNumber(instruction.destination);
  return { outcome: 'succeeded', receipt, publicName, amount: instruction.amount, recipient, ...more };
}

/**
 * Each receipt once; null: one has no receipt. Payments that are neither paid nor reversed are not made yet.
 */
function otherPayments({ payments = [] }: PayoutRecord, receipt: string): ProviderPayment[] | null {
  const others = new Map<string, ProviderPayment>();
  for (const payment of payments) {
    if (payment.receipt === '') return null;
    if (payment.receipt === receipt || (payment.status !== 'PAID' && payment.status !== 'REVERSED')) continue;
    others.set(payment.receipt, { receipt: payment.receipt, reversed: payment.status === 'REVERSED' });
  }
  return [...others.values()];
}

function notPaid({ code, payments = [] }: PayoutRecord): ProviderAnswer {
  // A contradictory record proves nothing.
  if (payments.length > 0) return queryFailed('FAILED with a payment');
  if (code === undefined || !isKeyOf(FAILURES, code)) return { outcome: 'submitted' };
  return { outcome: 'not_paid', ...FAILURES[code], detail: `FAILED ${code}` };
}

function unknown(detail: string): ProviderAnswer {
  return { outcome: 'unknown', detail: providerText(detail, MAX_TEXT.detail) };
}

function queryFailed(detail: string): ProviderAnswer {
  return { outcome: 'query_failed', detail: providerText(detail, MAX_TEXT.detail) };
}

function isKeyOf<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}
