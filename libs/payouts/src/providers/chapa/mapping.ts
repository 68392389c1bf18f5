import { z } from 'zod';

import { deferred, queryFailed, turnedDownBy, unknown } from '../../outcome-class.js';
import type { ApprovalReading, PayoutInstruction, ProviderAnswer } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { endOf, isDuplicate, isNotFound, refusalOf } from './codes.js';
import { CHAPA_CURRENCY, localOf, networkOf, toChapaAmount } from './networks.js';
import {
  approvalQuestion,
  differenceOfQuestion,
  isAbout,
  type ReadingOptions,
  readRecord,
  referenceOf,
  transferRecord,
} from './record.js';

/** Both ways between our words and Chapa's v1 API. Pure: no clock, no network. Shapes: [D] developer.chapa.co/transfer. */

export interface RequestOptions {
  /** Decimals that an amount may carry. */
  readonly decimals: 0 | 2;
  /** Chapa wants the recipient's name, and we have none. */
  readonly accountName: string;
}

/** An instruction that cannot be sent is answered at once, without a call. */
export type Request = { readonly body: object } | { readonly refusal: ProviderAnswer };

/** The body of POST /v1/transfers. */
export function toRequest(instruction: PayoutInstruction, options: RequestOptions): Request {
  const { attemptId, amount, destination } = instruction;
  const network = networkOf(amount.currency, destination);
  if (network === undefined || destination.kind !== 'mobile')
    return { refusal: deferred('config', 'Chapa has no such network: check the routes') };
  const text = toChapaAmount(amount, options.decimals);
  if (!text.ok)
    return { refusal: { outcome: 'not_paid', code: 'amount_not_accepted', routeLeft: true, detail: text.error } };
  return {
    body: {
      account_name: options.accountName,
      account_number: localOf(destination.phone),
      amount: text.value,
      currency: CHAPA_CURRENCY,
      reference: attemptId,
      bank_code: network.bankCode,
    },
  };
}

/** Chapa has this reference and says no more: ask for its record. */
export interface Duplicate {
  readonly outcome: 'duplicate';
}

/** [D] our reference; [U] a record that has it. */
const accepted = z.object({
  status: z.literal('success'),
  data: z.union([z.string(), z.object({ reference: z.string() })]),
});
const failedBody = z.object({ status: z.literal('failed'), message: z.unknown() });
const envelope = z.object({ status: z.string(), data: z.unknown() });

/** The answer of POST /v1/transfers. */
export function readSubmit(reply: ProviderReply, instruction: PayoutInstruction): ProviderAnswer | Duplicate {
  if (reply.kind === 'no_answer') return reply.unsent ? deferred('unreachable', reply.detail) : unknown(reply.detail);
  const { status, body } = reply;
  if (status !== 200) return readRefusal(status, body);
  const { data } = accepted.safeParse(body);
  if (data === undefined) return unknown('HTTP 200 in a shape we do not know');
  const reference = typeof data.data === 'string' ? data.data : data.data.reference;
  return isAbout({ reference }, instruction) ? { outcome: 'submitted' } : unknown('the answer is about another id');
}

/** Nothing was taken, where the text is one that we know (docs/decisions/0023). */
function readRefusal(httpStatus: number, body: unknown): ProviderAnswer | Duplicate {
  const { data } = failedBody.safeParse(body);
  if (data === undefined) return unknown(`HTTP ${httpStatus} in a shape we do not know`);
  const reply = { httpStatus, message: data.message };
  if (isDuplicate(reply)) return { outcome: 'duplicate' };
  const refusal = refusalOf(reply);
  // What Chapa wrote may name the recipient, so it is not kept.
  if (refusal === null) return unknown(`HTTP ${httpStatus} with a text in no table`);
  return turnedDownBy(refusal.row, `HTTP ${httpStatus} ${refusal.name}`);
}

/** The answer of GET /v1/transfers/verify/{reference}. */
export function readQuery(
  reply: ProviderReply,
  instruction: PayoutInstruction,
  options: ReadingOptions,
): ProviderAnswer {
  if (reply.kind === 'no_answer') return queryFailed(reply.detail);
  if (reply.status !== 200) return readNoRecord(reply.status, reply.body);
  const { data } = envelope.safeParse(reply.body);
  // In test mode it answers `[null]`.
  const { data: record } = transferRecord.safeParse(data?.status === 'success' ? data.data : null);
  if (record === undefined) return queryFailed('a transfer in a shape we do not know');
  return isAbout(record, instruction)
    ? readRecord(record, instruction, options)
    : queryFailed('the answer is about another id');
}

function readNoRecord(httpStatus: number, body: unknown): ProviderAnswer {
  const { data } = failedBody.safeParse(body);
  const reply = { httpStatus, message: data?.message };
  return data !== undefined && isNotFound(reply)
    ? { outcome: 'unknown', detail: 'the provider does not know our id', notFound: true }
    : queryFailed(`HTTP ${httpStatus} ${refusalOf(reply)?.name ?? 'with a text in no table'}`);
}

const event = z.object({ event: z.string() });
const PAYOUT_EVENT = 'payout.';

/** The body of a callback whose payload is signed. */
export function readCallback(body: unknown, instruction: PayoutInstruction, options: ReadingOptions): ProviderAnswer {
  const { data: record } = transferRecord.safeParse(body);
  const { data: told } = event.safeParse(body);
  if (record === undefined || told?.event.startsWith(PAYOUT_EVENT) !== true)
    return queryFailed('a callback in a shape we do not know');
  if (!isAbout(record, instruction)) return queryFailed('the callback is about another id');
  // The event is `payout.` and the status. Two words that differ prove neither.
  if (endOf(told.event.slice(PAYOUT_EVENT.length))?.end !== endOf(record.status)?.end)
    return queryFailed('an event and a status that differ');
  return readRecord(record, instruction, options);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** [] where it names none of ours: other transfers of the account have other references. */
export function attemptIdsIn(body: unknown): string[] {
  const named = z.object({ reference: z.string().nullish(), tx_ref: z.string().nullish() }).safeParse(body);
  const reference = named.success ? referenceOf(named.data) : '';
  return UUID.test(reference) ? [reference] : [];
}

/** What Chapa asks before it pays. */
export function readApproval(body: unknown): Pick<ApprovalReading, 'attemptIds' | 'differenceFrom'> {
  const { data: asked } = approvalQuestion.safeParse(body);
  return {
    attemptIds: attemptIdsIn(body),
    differenceFrom: (instruction) => (asked === undefined ? 'shape' : differenceOfQuestion(asked, instruction)),
  };
}
