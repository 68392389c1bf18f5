import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isObject, sendHtml } from '../../simulation/plain-server.js';
import { type AnswerFault, type CallbackPlan, isFinal } from '../behaviour/behaviour.js';
import { failureReason, SUBMIT_CODES, type SubmitCode } from '../behaviour/failure-codes.js';
import { behaviourOf } from '../behaviour/numbers.js';
import type { PayoutRequest } from '../book/book-line.js';
import type { Payout } from '../book/payout.js';
import { secondsText } from '../data/seconds-text.js';
import { type Context, statusOf } from './context.js';
import { answerFaultily, type FaultyAnswer, sendTooMany, sendUnknownError } from './faulty-answers.js';
import { parsePayout } from './payout-request.js';
import { callbackBody, payoutView } from './payout-view.js';

export function addPayoutRoutes(server: FastifyInstance, context: Context): void {
  server.post('/v2/payouts', (request, reply) => submit(context, request, reply));
  server.get('/v2/payouts/:id', (request, reply) => status(context, idOf(request), reply));
  server.post('/v2/payouts/resend-callback/:id', (request) => resend(context, idOf(request)));
  server.post('/v2/payouts/fail-enqueued/:id', (request) => failEnqueued(context, idOf(request)));
}

async function submit(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const payoutId = isObject(request.body) ? request.body['payoutId'] : undefined;
  const parsed = parsePayout(request.body, context.settings);
  if ('refusal' in parsed) return reject(context, reply, payoutId, parsed.refusal);
  const asked = parsed.request;
  const behaviour = behaviourOf(asked.phoneNumber);
  const calls = (context.submits.get(asked.payoutId) ?? 0) + 1;
  context.submits.set(asked.payoutId, calls);
  if (behaviour.rejects !== undefined) return reject(context, reply, payoutId, { code: behaviour.rejects });
  const { answer } = behaviour;
  const fault = answer !== undefined && (calls === 1 || answer.always === true) ? answer.how : null;
  const faulty = { request, reply, payoutId: asked.payoutId, withheld: context.withheld };
  if (fault !== null && answer?.taken === false) return answerFaultily(fault, { ...faulty, honest: untaken(context) });
  return take(context, asked, fault, faulty);
}

async function take(
  context: Context,
  asked: PayoutRequest,
  fault: AnswerFault['how'] | null,
  faulty: Omit<FaultyAnswer, 'honest'>,
): Promise<unknown> {
  const { book } = context;
  const { reply } = faulty;
  const provider = statusOf(context, asked.provider);
  if (provider === 'CLOSED' && book.find(asked.payoutId) === undefined)
    return reject(context, reply, asked.payoutId, { code: 'PROVIDER_TEMPORARILY_UNAVAILABLE' });
  const accepted = book.accept(asked, provider === 'DELAYED');
  if (accepted.kind === 'busy') return sendTooMany(reply);
  if (accepted.kind === 'out_of_funds')
    return reject(context, reply, asked.payoutId, { code: 'PAWAPAY_WALLET_OUT_OF_FUNDS' });
  const { payout, kind } = accepted;
  await book.safe(payout.lastLine);
  const honest = {
    payoutId: asked.payoutId,
    status: kind === 'duplicate' ? 'DUPLICATE_IGNORED' : 'ACCEPTED',
    created: secondsText(payout.acceptedAtMs),
  };
  if (kind === 'accepted' && payout.behaviour.early === true) {
    book.settleNow(payout);
    await context.settle();
  }
  return fault !== null ? answerFaultily(fault, { ...faulty, honest }) : honest;
}

function untaken({ clock }: Context): object {
  return { status: 'ACCEPTED', created: secondsText(clock.nowMs) };
}

/** What is refused is not kept: its id is unknown and may come again [U]. */
function reject(
  { clock, settings }: Context,
  reply: FastifyReply,
  payoutId: unknown,
  { code, message }: { readonly code: SubmitCode; readonly message?: string },
): FastifyReply {
  const httpStatus = code === 'AUTHENTICATION_ERROR' ? settings.wrongTokenStatus : SUBMIT_CODES[code];
  return reply.code(httpStatus).send({
    ...(typeof payoutId === 'string' && { payoutId }),
    status: 'REJECTED',
    ...(httpStatus === 200 && { created: secondsText(clock.nowMs) }),
    failureReason: failureReason(code, message),
  });
}

async function status(context: Context, id: string, reply: FastifyReply): Promise<unknown> {
  const payout = context.book.find(id);
  if (payout === undefined) return { status: 'NOT_FOUND' };
  const ageMs = context.clock.nowMs - payout.acceptedAtMs;
  const { hiddenMs = 0, answers } = payout.behaviour.record ?? {};
  if (ageMs < hiddenMs) return { status: 'NOT_FOUND' };
  if (answers !== undefined && ageMs < answers.forMs) {
    if (answers.how === 'html') return sendHtml(reply, 200);
    return answers.how === 'too_many' ? sendTooMany(reply) : sendUnknownError(reply);
  }
  // What is answered now must be what the disk says, even if it moves on meanwhile.
  const answer = { status: 'FOUND', data: payoutView(payout) };
  await context.book.safe(payout.lastLine);
  return answer;
}

function resend({ book, callbacks, clock, settings }: Context, id: string): object {
  const payout = book.find(id);
  if (payout === undefined) return actionRefused(id, 'NOT_FOUND');
  if (!payout.isFinal) return actionRefused(id, 'INVALID_STATE');
  const { url } = settings.callbacks;
  if (url !== null) callbacks.add({ id, url, atMs: clock.nowMs, body: () => JSON.stringify(payoutView(payout)) });
  return { payoutId: id, status: 'ACCEPTED' };
}

async function failEnqueued({ book }: Context, id: string): Promise<object> {
  const payout = book.find(id);
  if (payout === undefined) return actionRefused(id, 'NOT_FOUND');
  if (!book.cancel(payout)) return actionRefused(id, 'INVALID_STATE');
  await book.safe(payout.lastLine);
  return { payoutId: id, status: 'ACCEPTED' };
}

function actionRefused(id: string, code: 'NOT_FOUND' | 'INVALID_STATE'): object {
  return { payoutId: id, status: 'REJECTED', failureReason: failureReason(code) };
}

/** Queues what is called back on reaching a state. */
export function callBack({ callbacks, settings }: Context, payout: Payout, atMs: number): void {
  const { url } = settings.callbacks;
  if (url === null) return;
  const plans: readonly CallbackPlan[] = payout.behaviour.callbacks ?? [{}];
  for (const plan of plans) {
    if (plan.on === undefined ? !isFinal(payout.state) : plan.on !== payout.state) continue;
    // Built now: what is called back late is what it was then.
    const body = JSON.stringify(callbackBody(payout, plan));
    callbacks.add({
      id: payout.request.payoutId,
      url,
      atMs: atMs + (plan.afterMs ?? 0),
      body: () => body,
      ...(plan.signing !== undefined && { signing: plan.signing }),
    });
  }
}

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}
