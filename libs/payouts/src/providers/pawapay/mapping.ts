import { z } from 'zod';

import { deferred, notPaidBy, queryFailed, rowOf, turnedDownBy, unknown } from '../../outcome-class.js';
import type { PayoutInstruction, ProviderAnswer } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { MAX_TEXT, providerCode, providerText } from '../../provider-text.js';
import { fromPawapayAmount, toPawapayAmount } from './amount.js';
import { AFTER_ACCEPTANCE, AT_THE_CALL } from './codes.js';
import { networkOf } from './networks.js';
import { payoutIdOf } from './payout-id.js';

/** Both ways between our words and pawaPay's v2 API. Pure: no clock, no network. Shapes: [D] docs.pawapay.io/v2/api-reference/payouts. */

export interface RequestOptions {
  /** What the recipient's SMS says, where the network shows it: 4 to 22 letters, digits and spaces [D]. */
  readonly customerMessage?: string;
}

const failureReason = z.object({ failureCode: z.string() });

const initiation = z.object({ payoutId: z.string(), status: z.string(), failureReason: failureReason.nullish() });
const errorBody = z.object({ payoutId: z.string().optional(), failureReason });

const payoutRecord = z.object({
  payoutId: z.string(),
  status: z.string(),
  amount: z.string(),
  currency: z.string(),
  country: z.string().nullish(),
  recipient: z.object({
    type: z.string(),
    accountDetails: z.object({ phoneNumber: z.string(), provider: z.string() }),
  }),
  providerTransactionId: z
    .string()
    .transform((text) => providerText(text, MAX_TEXT.receipt))
    .nullish(),
  failureReason: failureReason.nullish(),
});
type PayoutRecord = z.infer<typeof payoutRecord>;

const envelope = z.object({ status: z.string(), data: z.unknown().optional() });

/** An instruction that cannot be sent is answered at once, without a call. */
export type Request = { readonly body: object } | { readonly refusal: ProviderAnswer };

/** The body of POST /v2/payouts. */
export function toRequest(instruction: PayoutInstruction, options: RequestOptions): Request {
  const { attemptId, amount, destination } = instruction;
  const network = networkOf(amount.currency, destination);
  if (network === undefined || destination.kind !== 'mobile')
    return { refusal: deferred('config', 'pawaPay has no such network: check the routes') };
  const text = toPawapayAmount(amount, network);
  if (!text.ok)
    return { refusal: { outcome: 'not_paid', code: 'amount_not_accepted', routeLeft: true, detail: text.error } };
  const { customerMessage } = options;
  return {
    body: {
      payoutId: payoutIdOf(attemptId),
      amount: text.value,
      currency: amount.currency,
      recipient: {
        type: 'MMO',
        accountDetails: { phoneNumber: digitsOf(destination.phone), provider: network.provider },
      },
      ...(customerMessage !== undefined && { customerMessage }),
    },
  };
}

/** pawaPay has accepted this id before and says no more: ask for its record. */
export interface Duplicate {
  readonly outcome: 'duplicate';
}

/** The answer of POST /v2/payouts. */
export function readSubmit(reply: ProviderReply, instruction: PayoutInstruction): ProviderAnswer | Duplicate {
  if (reply.kind === 'no_answer') return reply.unsent ? deferred('unreachable', reply.detail) : unknown(reply.detail);
  const { status, body } = reply;
  const payoutId = payoutIdOf(instruction.attemptId);
  if (status !== 200) return readErrorBody(status, body, payoutId);
  const { data } = initiation.safeParse(body);
  if (data === undefined) return unknown('HTTP 200 in a shape we do not know');
  if (data.payoutId.toLowerCase() !== payoutId) return unknown('the answer is about another id');
  switch (data.status) {
    case 'REJECTED':
      return refusedBy(data.failureReason?.failureCode, 'REJECTED');
    case 'DUPLICATE_IGNORED':
      return { outcome: 'duplicate' };
    // ACCEPTED, ENQUEUED, and whatever else it may say of an id that it has.
    default:
      return { outcome: 'submitted', providerPaymentId: payoutId };
  }
}

/** [D] 400, 401 and 403 with a failureReason. Texts (failureMessage) are never read: only a code says whose fault it is. */
function readErrorBody(status: number, body: unknown, payoutId: string): ProviderAnswer {
  const { data } = errorBody.safeParse(body);
  if (data?.payoutId !== undefined && data.payoutId.toLowerCase() !== payoutId)
    return unknown('the answer is about another id');
  if (data === undefined || status < 400) return unknown(`HTTP ${status} in a shape we do not know`);
  return refusedBy(data.failureReason.failureCode, `HTTP ${status}`);
}

function refusedBy(code: string | undefined, how: string): ProviderAnswer {
  return turnedDownBy(rowOf(AT_THE_CALL, code), `${how} ${providerCode(code)}`);
}

/** The answer of GET /v2/payouts/{payoutId}. */
export function readQuery(reply: ProviderReply, instruction: PayoutInstruction): ProviderAnswer {
  if (reply.kind === 'no_answer') return queryFailed(reply.detail);
  if (reply.status !== 200) return queryFailed(`HTTP ${reply.status} ${providerCode(codeOf(reply.body))}`);
  const { data } = envelope.safeParse(reply.body);
  if (data?.status === 'NOT_FOUND')
    return { outcome: 'unknown', detail: 'the provider does not know our id', notFound: true };
  if (data?.status !== 'FOUND') return queryFailed('a status in a shape we do not know');
  return readRecord(data.data, instruction);
}

/** The body of a callback: the same record, without an envelope. */
export function readCallback(body: unknown, instruction: PayoutInstruction): ProviderAnswer {
  const answer = readRecord(body, instruction);
  // [D] of UNKNOWN_ERROR: verify by a status check.
  const isUnsure = answer.outcome === 'not_paid' && rowOf(AFTER_ACCEPTANCE, codeOf(body))?.cls === 'unknown';
  return isUnsure ? queryFailed(`${answer.detail}, by a callback`) : answer;
}

/** Whose payout a callback names; null where none. */
export function payoutIdIn(body: unknown): string | null {
  return z.object({ payoutId: z.string() }).safeParse(body).data?.payoutId ?? null;
}

function readRecord(body: unknown, instruction: PayoutInstruction): ProviderAnswer {
  const { data: record } = payoutRecord.safeParse(body);
  if (record === undefined) return queryFailed('a payout in a shape we do not know');
  const payoutId = payoutIdOf(instruction.attemptId);
  if (record.payoutId.toLowerCase() !== payoutId) return queryFailed('the answer is about another id');
  const differs = differenceOf(record, instruction);
  if (differs !== null) return { outcome: 'mismatch', detail: `the provider's record has another ${differs}` };
  switch (record.status) {
    case 'COMPLETED':
      return paid(record, instruction);
    case 'FAILED':
      return failed(record, payoutId);
    // ACCEPTED, ENQUEUED, SUBMITTED, PROCESSING, IN_RECONCILIATION, and what is in no table.
    default:
      return { outcome: 'submitted', providerPaymentId: payoutId };
  }
}

/** What of the record is not as instructed. */
function differenceOf(record: PayoutRecord, { amount, destination }: PayoutInstruction): string | null {
  const network = networkOf(amount.currency, destination);
  if (record.currency !== amount.currency) return 'currency';
  if (fromPawapayAmount(record.amount, amount.currency) !== amount.minor) return 'amount';
  if (record.recipient.type !== 'MMO' || destination.kind !== 'mobile') return 'kind of recipient';
  const { phoneNumber, provider } = record.recipient.accountDetails;
  if (provider !== network?.provider) return 'mobile network';
  if (digitsOf(phoneNumber) !== digitsOf(destination.phone)) return 'phone number';
  return (record.country ?? network.country) === network.country ? null : 'country';
}

/** A payment is recorded by its receipt. One that has none yet is asked about again. */
function paid({ providerTransactionId }: PayoutRecord, instruction: PayoutInstruction): ProviderAnswer {
  const { amount, destination } = instruction;
  const receipt = providerTransactionId ?? '';
  if (receipt === '' || destination.kind !== 'mobile') return queryFailed('COMPLETED without a receipt');
  return { outcome: 'succeeded', receipt, publicName: null, amount, recipient: destination.phone };
}

function failed({ failureReason: reason }: PayoutRecord, payoutId: string): ProviderAnswer {
  const row = rowOf(AFTER_ACCEPTANCE, reason?.failureCode);
  if (row === undefined) return { outcome: 'submitted', providerPaymentId: payoutId };
  return { outcome: 'not_paid', ...notPaidBy(row), detail: `FAILED ${providerCode(reason?.failureCode)}` };
}

function codeOf(body: unknown): string | undefined {
  return z.object({ failureReason }).safeParse(body).data?.failureReason.failureCode;
}

function digitsOf(phone: string): string {
  return phone.replace(/^\+/, '');
}
