import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

import { formatMoney } from '@vuka/domain';
import { z } from 'zod';

import {
  type ApprovalProvider,
  type ApprovalReading,
  type CallbackProvider,
  type ConnectedProvider,
  MAIN_WALLET,
  type PayoutInstruction,
  type ProviderAnswer,
  type ProviderCallback,
  TOO_LATE,
} from '../payout-provider.js';
import { ProviderHttp, type ProviderReply } from '../provider-http.js';
import { MAX_TEXT, providerText } from '../provider-text.js';
import type { ConnectOptions } from './harness.js';

/** A provider that nobody has, which does all that the port allows and the sandbox's do not. */

const text = (max: number) => z.string().transform((one) => providerText(one, max));
const record = z.object({
  id: z.string(),
  own_id: z.string(),
  state: z.string(),
  amount: z.string(),
  currency: z.string(),
  to: z.string(),
  receipt: text(MAX_TEXT.receipt).optional(),
  name: text(MAX_TEXT.name).optional(),
  code: z.string().optional(),
});
type Found = z.infer<typeof record>;

export const KEY = 'the key of this suite';
export const signatureOf = (body: string): string => createHmac('sha256', KEY).update(body).digest('hex');
export const recipientOf = ({ destination }: PayoutInstruction): string =>
  JSON.stringify(Object.entries(destination).sort());

export function recordOf(payout: PayoutInstruction, end: object): object {
  return {
    id: payout.attemptId,
    own_id: `own-${payout.attemptId}`,
    amount: formatMoney(payout.amount),
    currency: payout.amount.currency,
    to: recipientOf(payout),
    ...end,
  };
}

function differenceOf(found: Found, payout: PayoutInstruction): string | null {
  if (found.currency !== payout.amount.currency) return 'currency';
  if (found.amount !== formatMoney(payout.amount)) return 'amount';
  return found.to === recipientOf(payout) ? null : 'recipient';
}

function read(reply: ProviderReply, payout: PayoutInstruction): ProviderAnswer | null {
  if (reply.kind === 'no_answer') return null;
  const { data: found } = record.safeParse(reply.body);
  if (reply.status !== 200 || found?.id !== payout.attemptId) return null;
  const differs = differenceOf(found, payout);
  if (differs !== null) return { outcome: 'mismatch', detail: `another ${differs}` };
  const providerPaymentId = found.own_id;
  if (found.state === 'PAID') {
    if (!found.receipt) return null;
    const { receipt, name: publicName = null } = found;
    return { outcome: 'succeeded', receipt, publicName, amount: payout.amount, recipient: found.to, providerPaymentId };
  }
  if (found.state === 'FAILED' && found.code === 'NO_FLOAT')
    return {
      outcome: 'not_paid',
      code: 'rail_unavailable',
      routeLeft: true,
      ourFault: 'float',
      detail: 'NO_FLOAT',
      providerPaymentId,
    };
  return { outcome: 'submitted', providerPaymentId };
}

type MadeUp = ConnectedProvider & CallbackProvider & ApprovalProvider;

export function madeUpProvider({ baseUrl, callTimeoutMs }: ConnectOptions): MadeUp {
  const http = new ProviderHttp({ baseUrl, headers: {}, callTimeoutMs, maxConnections: 4 });
  return {
    id: 'made_up',
    capabilities: {
      dedupesForMs: null,
      notFoundProvesAfterMs: null,
      lateWindowMs: 60_000,
      latePollScheduleMs: [1_000],
      limits: {},
      callsAtOnce: 4,
      pollScheduleMs: [1_000],
      callTimeoutMs,
      resolvesNames: true,
      debitsAt: 'acceptance',
      queryAnswersByCallback: true,
    },
    floats: [{ wallet: MAIN_WALLET, currency: 'KES' }],
    walletOf: (_, currency) => (currency === 'KES' ? MAIN_WALLET : null),
    submit: async (payout, lease) => {
      const recipient = await http.call('POST', '/recipients', { body: { to: recipientOf(payout) } });
      if (recipient.kind === 'no_answer' || recipient.status !== 201)
        return { outcome: 'deferred', reason: 'unreachable', detail: 'no recipient' };
      const body = JSON.stringify(recordOf(payout, { state: 'NEW' }));
      if (lease?.mayPay() === false) return TOO_LATE;
      const reply = await http.call('PUT', `/payouts/${payout.attemptId}`, {
        body,
        headers: { 'x-signature': signatureOf(body) },
        emptyAnswers: [202],
        serverErrors: [503],
      });
      if (reply.kind === 'no_answer') return { outcome: 'unknown', detail: reply.detail };
      if (reply.status === 202 && reply.body === undefined) return { outcome: 'submitted' };
      if (reply.status === 503) return { outcome: 'deferred', reason: 'corridor_off', detail: 'HTTP 503' };
      return read(reply, payout) ?? { outcome: 'unknown', detail: `HTTP ${reply.status}` };
    },
    query: async (payout) => {
      const reply = await http.call('GET', `/payouts/${payout.providerPaymentId ?? payout.attemptId}`, {
        emptyAnswers: [202],
      });
      if (reply.kind === 'json' && reply.status === 202 && reply.body === undefined) return { outcome: 'asked' };
      if (
        reply.kind === 'json' &&
        reply.status === 404 &&
        z.object({ gone: z.literal(true) }).safeParse(reply.body).success
      )
        return { outcome: 'unknown', detail: 'not found', notFound: true };
      return read(reply, payout) ?? { outcome: 'query_failed', detail: reply.kind };
    },
    parseCallback: async () => ({
      signed: false,
      detail: 'not in this suite',
      attemptIds: [],
      answerFor: () => ({ outcome: 'query_failed', detail: 'not in this suite' }),
    }),
    decideApproval: async (callback) => readingOf(callback),
    approvalReply: (isApproved) => ({
      status: isApproved ? 200 : 400,
      contentType: 'application/json',
      body: JSON.stringify({ approved: isApproved }),
    }),
    close: () => http.close(),
  };
}

function readingOf({ body, headers }: ProviderCallback): ApprovalReading {
  const raw = Buffer.from(body).toString();
  const expected = Buffer.from(signatureOf(raw));
  const given = Buffer.from(String(headers['x-signature']));
  const signed = given.length === expected.length && timingSafeEqual(given, expected);
  const { data } = record.safeParse(JSON.parse(raw));
  return {
    signed,
    detail: signed ? '' : 'another signature',
    attemptIds: data === undefined ? [] : [data.id],
    ...(data !== undefined && { providerPaymentId: data.own_id }),
    differenceFrom: (payout) => (data === undefined ? 'shape' : differenceOf(data, payout)),
  };
}

export const questionFor = (payout: PayoutInstruction, signature?: string): ProviderCallback => {
  const body = JSON.stringify(recordOf(payout, { state: 'ASKING' }));
  return {
    method: 'POST',
    host: 'vuka.test',
    path: '/',
    headers: { 'x-signature': signature ?? signatureOf(body) },
    body: Buffer.from(body),
  };
};

export const payable = (): PayoutInstruction => ({
  attemptId: randomUUID(),
  orderId: randomUUID(),
  amount: { minor: 150_050n, currency: 'KES' },
  destination: { kind: 'bank', account_number: '0110123456789', bank_code: '01', bank_name: 'KCB Bank Kenya' },
});
