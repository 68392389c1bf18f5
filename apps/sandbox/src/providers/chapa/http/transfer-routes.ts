import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { sendHtml } from '../../simulation/plain-server.js';
import type { AnswerFault } from '../behaviour/behaviour.js';
import { behaviourOf } from '../behaviour/numbers.js';
import { REFUSALS } from '../behaviour/refusals.js';
import type { TransferRequest } from '../book/book-line.js';
import type { Transfer } from '../book/transfer.js';
import { ask } from '../messages/approvals.js';
import type { Context } from './context.js';
import { answerFaultily, type FaultyAnswer, queuedAnswer, sendRefusal, sendServerError } from './faulty-answers.js';
import { parseTransfer } from './transfer-request.js';
import { listView, verifyView } from './transfer-view.js';

/** [D] of payments; of transfers nothing is published [U]. */
const NOT_FOUND = 'Invalid transaction or Transaction not found';
const PER_PAGE = 10;
const TEST_KEY = 'CHASECK_TEST-';

export function addTransferRoutes(server: FastifyInstance, context: Context): void {
  server.post('/v1/transfers', (request, reply) => submit(context, request, reply));
  server.get('/v1/transfers/verify/:reference', (request, reply) =>
    verify(context, (request.params as { reference: string }).reference, reply),
  );
  server.get('/v1/transfers', (request) => list(context, (request.query as { page?: string }).page));
}

async function submit(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const parsed = parseTransfer(request.body, () => `CH${String(context.book.all().length + 1).padStart(10, '0')}`);
  if ('refusal' in parsed) return sendRefusal(reply, parsed.refusal);
  const asked = parsed.request;
  const { rejects, answer } = behaviourOf(asked.accountNumber);
  const calls = (context.submits.get(asked.reference) ?? 0) + 1;
  context.submits.set(asked.reference, calls);
  if (rejects !== undefined) return sendRefusal(reply, REFUSALS[rejects]);
  const fault = answer !== undefined && (calls === 1 || answer.always === true) ? answer : null;
  const faulty = { request, reply, reference: asked.reference, withheld: context.withheld };
  if (fault?.taken === false) return answerFaultily(fault.how, faulty);
  return take(context, asked, fault?.how ?? null, faulty);
}

async function take(
  context: Context,
  asked: TransferRequest,
  fault: AnswerFault['how'] | null,
  faulty: FaultyAnswer,
): Promise<unknown> {
  const { book } = context;
  const { reply } = faulty;
  const accepted = book.accept(asked);
  if (accepted.kind === 'busy') return sendServerError(reply);
  if (accepted.kind === 'out_of_funds') return sendRefusal(reply, REFUSALS.insufficient_balance);
  if (accepted.kind === 'used_before') {
    await book.safe(accepted.transfer.lastLine);
    return sendRefusal(reply, REFUSALS.reference_used);
  }
  const { transfer } = accepted;
  await book.safe(transfer.lastLine);
  ask(context, transfer);
  await beforeTheAnswer(context, transfer);
  return fault === null ? queuedAnswer(asked.reference) : answerFaultily(fault, faulty);
}

async function beforeTheAnswer(context: Context, transfer: Transfer): Promise<void> {
  const { early, approvals } = transfer.behaviour;
  if (early !== true && approvals?.early !== true) return;
  await context.settle();
  if (early !== true) return;
  context.book.settleNow(transfer);
  await context.settle();
}

async function verify(context: Context, reference: string, reply: FastifyReply): Promise<unknown> {
  const { book, settings } = context;
  // Where several stand under one reference, the first is told; what Chapa tells is unconfirmed [U].
  const [transfer] = book.under(reference);
  const notFound = { status: settings.notFoundStatus, message: NOT_FOUND };
  if (transfer === undefined || isHidden(context, transfer)) return sendRefusal(reply, notFound);
  const { answers, testMode } = transfer.behaviour.record ?? {};
  if (answers !== undefined && ageMs(context, transfer) < answers.forMs) {
    if (answers.how === 'html') return sendHtml(reply, 200);
    return answers.how === 'too_many' ? sendRefusal(reply, REFUSALS.too_many) : sendServerError(reply);
  }
  // What is answered now must be what the disk says, even if it moves on meanwhile.
  const answer =
    testMode === true
      ? { message: 'Transfer details (Test Mode)', status: 'success', data: [null] }
      : { message: 'Transfer details', status: 'success', data: verifyView(transfer, modeOf(context)) };
  await book.safe(transfer.lastLine);
  return answer;
}

/** Newest first [U]; `page` counts from 1. */
async function list(context: Context, page = '1'): Promise<unknown> {
  const { book } = context;
  const all = book
    .all()
    .filter((transfer) => !isHidden(context, transfer))
    .reverse();
  const lastPage = Math.max(1, Math.ceil(all.length / PER_PAGE));
  const current = /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1;
  const start = (current - 1) * PER_PAGE;
  const rows = all.slice(start, start + PER_PAGE).map(listView);
  const urlOf = (n: number): string => `${context.baseUrl()}/v1/transfers?page=${n}`;
  await book.safe();
  return {
    message: 'Transfer details fetched',
    status: 'success',
    meta: {
      current_page: current,
      first_page_url: urlOf(1),
      last_page: lastPage,
      last_page_url: urlOf(lastPage),
      next_page_url: current < lastPage ? urlOf(current + 1) : null,
      path: urlOf(1),
      per_page: PER_PAGE,
      prev_page_url: current > 1 ? urlOf(current - 1) : null,
      to: start + rows.length,
      total: all.length,
      error: [],
    },
    data: rows,
  };
}

function isHidden(context: Context, transfer: Transfer): boolean {
  return ageMs(context, transfer) < (transfer.behaviour.record?.hiddenMs ?? 0);
}

function ageMs({ clock }: Context, { acceptedAtMs }: Transfer): number {
  return clock.nowMs - acceptedAtMs;
}

function modeOf({ token }: Context): 'live' | 'test' {
  return token.startsWith(TEST_KEY) ? 'test' : 'live';
}
