import { currencyDecimals, type FailureCode, formatDecimal, parseDecimal } from '@vuka/domain';
import { z } from 'zod';

import type { PayoutInstruction, RailAnswer } from '../../payout-provider.js';
import type { RailReply } from '../../rail-http.js';
import { MAX_TEXT, railText } from '../../rail-text.js';

/** Both ways between our words and the sandbox rail's (docs/sandbox-rail.md). Pure: no clock, no network. */

const acceptance = z.object({ id: z.string(), status: z.string() });

const payoutRecord = z.object({
  id: z.string(),
  status: z.string(),
  amount: z.string().regex(/^\d{1,38}(\.\d{1,18})?$/),
  currency: z.string(),
  recipient: z.object({ account_number: z.string(), bank_code: z.string() }),
  receipt: z.string().transform((text) => railText(text, MAX_TEXT.receipt)).optional(),
  name: z.string().transform((text) => railText(text, MAX_TEXT.name)).optional(),
  code: z.string().optional(),
});
type PayoutRecord = z.infer<typeof payoutRecord>;

const refusal = z.object({ code: z.string() });

/** Statuses of a payout. One that is not here means that the payout is still on its way. */
const STATUSES = {
  PROCESSING: () => ({ outcome: 'submitted' }),
  PAID: succeeded,
  FAILED: notPaid,
  REVERSED: reversed,
} as const satisfies Record<string, (record: PayoutRecord, instruction: PayoutInstruction) => RailAnswer>;

/** Why a payout FAILED there, in our words. A code that is not here proves nothing yet: pending. */
const FAILURES = {
  RECIPIENT_NOT_FOUND: { code: 'recipient_not_found', routeLeft: false },
  REJECTED: { code: 'rail_rejected', routeLeft: false },
} as const satisfies Record<string, { code: FailureCode; routeLeft: boolean }>;

/** Refusals of a submit that prove that nothing was taken, or that our id stands for another payout. */
const REFUSALS = {
  INVALID_REQUEST: (detail) => ({ outcome: 'deferred', reason: 'config', detail }),
  UNAUTHORIZED: (detail) => ({ outcome: 'deferred', reason: 'config', detail }),
  ID_REUSED: (detail) => ({ outcome: 'mismatch', detail }),
} as const satisfies Record<string, (detail: string) => RailAnswer>;

/** The body of `POST /v1/payouts`. */
export function submitBody({ attemptId, amountMinor, currency, destination }: PayoutInstruction): object {
  return {
    id: attemptId,
    amount: formatDecimal(amountMinor, currencyDecimals(currency)),
    currency,
    recipient: { account_number: destination.account_number, bank_code: destination.bank_code },
  };
}

/** The rail had this id already and says no more about it: ask for its status. */
export interface Duplicate {
  readonly outcome: 'duplicate';
}

export function readSubmit(reply: RailReply, instruction: PayoutInstruction): RailAnswer | Duplicate {
  if (reply.kind === 'no_answer') return unknown(reply.detail);
  if (reply.status >= 400) return readRefusal(reply.status, reply.body);
  const parsed = acceptance.safeParse(reply.body);
  if (!parsed.success) return unknown(`HTTP ${reply.status} in a shape we do not know`);
  if (parsed.data.id !== instruction.attemptId) return unknown('the answer is about another id');
  if (reply.status === 202) return { outcome: 'submitted' };
  if (reply.status === 200) return { outcome: 'duplicate' };
  return unknown(`HTTP ${reply.status}`);
}

function readRefusal(status: number, body: unknown): RailAnswer {
  const code = refusal.safeParse(body).data?.code;
  const detail = `HTTP ${status} ${safeCode(code)}`;
  return code !== undefined && isKeyOf(REFUSALS, code) ? REFUSALS[code](detail) : unknown(detail);
}

export function readQuery(reply: RailReply, instruction: PayoutInstruction): RailAnswer {
  if (reply.kind === 'no_answer') return queryFailed(reply.detail);
  if (reply.status !== 200) {
    const code = refusal.safeParse(reply.body).data?.code;
    if (reply.status === 404 && code === 'PAYOUT_NOT_FOUND') return unknown('the rail does not know our id');
    return queryFailed(`HTTP ${reply.status} ${safeCode(code)}`);
  }
  const parsed = payoutRecord.safeParse(reply.body);
  if (!parsed.success) return queryFailed('a status in a shape we do not know');
  const record = parsed.data;
  if (record.id !== instruction.attemptId) return queryFailed('the answer is about another id');
  const differs = differenceOf(record, instruction);
  if (differs !== null) return { outcome: 'mismatch', detail: `the rail's record has another ${differs}` };
  return isKeyOf(STATUSES, record.status) ? STATUSES[record.status](record, instruction) : { outcome: 'submitted' };
}

/** What of the rail's record is not as instructed (providers.md 0.6). */
function differenceOf(record: PayoutRecord, { amountMinor, currency, destination }: PayoutInstruction): string | null {
  if (record.currency !== currency) return 'currency';
  const amount = parseDecimal(record.amount, currencyDecimals(currency));
  if (!amount.ok || amount.value !== amountMinor) return 'amount';
  if (record.recipient.account_number !== destination.account_number) return 'account number';
  if (record.recipient.bank_code !== destination.bank_code) return 'bank';
  return null;
}

function succeeded({ receipt, name }: PayoutRecord, { amountMinor, destination }: PayoutInstruction): RailAnswer {
  if (receipt === undefined || receipt === '') return queryFailed('PAID without a receipt');
  // differenceOf has proven amount and recipient to be the rail's as well as ours.
  return { outcome: 'succeeded', receipt, publicName: name === undefined || name === '' ? null : name, amountMinor, recipient: destination.account_number };
}

function notPaid({ code }: PayoutRecord): RailAnswer {
  if (code === undefined || !isKeyOf(FAILURES, code)) return { outcome: 'submitted' };
  return { outcome: 'not_paid', ...FAILURES[code], detail: `FAILED ${code}` };
}

function reversed({ receipt }: PayoutRecord): RailAnswer {
  if (receipt === undefined || receipt === '') return queryFailed('REVERSED without a receipt');
  return { outcome: 'reversed', receipt, detail: 'REVERSED' };
}

function unknown(detail: string): RailAnswer {
  return { outcome: 'unknown', detail: railText(detail, MAX_TEXT.detail) };
}

function queryFailed(detail: string): RailAnswer {
  return { outcome: 'query_failed', detail: railText(detail, MAX_TEXT.detail) };
}

/** The rail's code as far as it may go into a log: it could hold anything. */
function safeCode(code: string | undefined): string {
  return code !== undefined && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'without a readable code';
}

function isKeyOf<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}
