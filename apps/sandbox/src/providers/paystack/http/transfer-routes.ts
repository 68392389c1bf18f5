import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isObject } from '../../simulation/plain-server.js';
import type { AnswerFault, WebhookPlan } from '../behaviour/behaviour.js';
import { duplicate404, REFUSALS } from '../behaviour/refusals.js';
import type { TransferRequest } from '../book/book-line.js';
import type { Starts } from '../book/paystack-book.js';
import type { Recipient } from '../book/recipients.js';
import type { Transfer } from '../book/transfer.js';
import { behaviourOf } from '../behaviour/numbers.js';
import { refuse, refuseBusy, success } from './answers.js';
import { type Context, counted } from './context.js';
import { answerFaultily, answerRecordFaultily, type FaultyAnswer } from './faulty-answers.js';
import { parseTransfer } from './transfer-request.js';
import { initiatedView, isTold, recordView, webhookBody } from './views.js';

export function addTransferRoutes(server: FastifyInstance, context: Context): void {
  server.post('/transfer', (request, reply) => submit(context, request, reply));
  server.post('/transfer/finalize_transfer', (request, reply) => finalize(context, request.body, reply));
  server.get('/transfer/verify/:reference', (request, reply) => {
    const { reference } = request.params as { reference: string };
    return told(context, context.book.find(reference), reply, REFUSALS.transfer_not_found);
  });
  server.get('/transfer/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    return told(context, context.book.findNamed(name), reply, REFUSALS.transfer_invalid);
  });
}

async function submit(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { book, settings, submits, withheld } = context;
  const parsed = parseTransfer(request.body, book.recipients, settings, () => madeReference(context));
  if ('refusal' in parsed) return refuse(reply, parsed.refusal);
  const { request: asked, recipient } = parsed;
  const behaviour = behaviourOf(recipient.request.accountNumber);
  const calls = counted(submits, asked.reference);
  if (behaviour.refuses !== undefined) return refuse(reply, behaviour.refuses);
  if (behaviour.recipientGone === true && isFirstRecipient(context, recipient)) {
    book.deleteRecipient(recipient.code);
    await book.safe();
    return refuse(reply, REFUSALS.invalid_recipient);
  }
  const { answer } = behaviour;
  const fault = answer !== undefined && (calls === 1 || answer.always === true) ? answer.how : null;
  const faulty = { request, reply, reference: asked.reference, withheld };
  if (fault !== null && answer?.taken === false) return answerFaultily(fault, { ...faulty, honest: null });
  return take(context, asked, fault, faulty);
}

async function take(
  context: Context,
  asked: TransferRequest,
  fault: AnswerFault['how'] | null,
  faulty: Omit<FaultyAnswer, 'honest'>,
): Promise<unknown> {
  const { book } = context;
  const { reply } = faulty;
  const accepted = book.accept(asked, startsOf(context, asked));
  if (accepted.kind === 'busy') return refuseBusy(reply);
  if (accepted.kind === 'no_balance') return refuse(reply, REFUSALS.no_balance);
  const { transfer, kind } = accepted;
  await book.safe(transfer.lastLine);
  if (kind === 'duplicate') return fault === null ? refuseDuplicate(context, transfer, reply) : repeated(fault, faulty);
  const message = transfer.status === 'otp' ? 'Transfer requires OTP to continue' : 'Transfer has been queued';
  const honest = success(message, initiatedView(context, transfer)) as NonNullable<FaultyAnswer['honest']>;
  if (transfer.awaitsApproval) context.approvals.ask(transfer);
  if (transfer.behaviour.early === true) {
    book.settleNow(transfer);
    await context.settle();
  }
  return fault === null ? honest : answerFaultily(fault, { ...faulty, honest });
}

/** A restart forgets the calls: a repeat may be a first one again, and is a duplicate all the same. */
function repeated(fault: AnswerFault['how'], faulty: Omit<FaultyAnswer, 'honest'>): unknown {
  return answerFaultily(fault === 'duplicate_404' ? fault : 'duplicate', { ...faulty, honest: null });
}

function refuseDuplicate({ settings }: Context, { behaviour, reference }: Transfer, reply: FastifyReply): FastifyReply {
  const as = behaviour.duplicateAs ?? settings.duplicateAs;
  return refuse(reply, as === '404' ? duplicate404(reference) : REFUSALS.duplicate);
}

function startsOf({ book, settings }: Context, asked: TransferRequest): Starts {
  const recipient = book.recipients.find(asked.recipient) as Recipient;
  const { starts } = behaviourOf(recipient.request.accountNumber);
  if (starts === 'otp' || settings.otp) return { status: 'otp', awaitsApproval: false };
  if (settings.approval.url !== null) return { status: 'received', awaitsApproval: true };
  return { status: starts ?? 'pending', awaitsApproval: false };
}

/** None of this account was deleted before: it is the one that goes. */
function isFirstRecipient({ recipientCalls }: Context, { request: { accountNumber } }: Recipient): boolean {
  return counted(recipientCalls, `gone ${accountNumber}`) === 1;
}

function madeReference({ book, clock }: Context): string {
  return `made-by-paystack-${clock.nowMs}-${book.all().length}`;
}

async function finalize(context: Context, body: unknown, reply: FastifyReply): Promise<unknown> {
  const { transfer_code: code, otp } = isObject(body) ? body : {};
  const transfer = typeof code === 'string' ? context.book.findNamed(code) : undefined;
  if (transfer === undefined) return refuse(reply, REFUSALS.transfer_invalid);
  if (transfer.status !== 'otp') return refuse(reply, REFUSALS.not_in_otp);
  if (otp !== context.settings.otpCode) return refuse(reply, REFUSALS.otp_wrong);
  context.book.finalize(transfer);
  const answer = success('Transfer has been queued', initiatedView(context, transfer));
  await context.book.safe(transfer.lastLine);
  return answer;
}

async function told(
  context: Context,
  transfer: Transfer | undefined,
  reply: FastifyReply,
  missing: typeof REFUSALS.transfer_not_found | typeof REFUSALS.transfer_invalid,
): Promise<unknown> {
  if (transfer === undefined) return refuse(reply, missing);
  const ageMs = context.clock.nowMs - transfer.accepted.atMs;
  const { hiddenMs = 0, answers } = transfer.behaviour.record ?? {};
  if (ageMs < hiddenMs) return refuse(reply, missing);
  if (answers !== undefined && ageMs < answers.forMs) return answerRecordFaultily(answers.how, reply);
  // What is answered now must be what the disk says, even if it moves on meanwhile.
  const answer = success('Transfer retrieved', recordView(context, transfer));
  await context.book.safe(transfer.lastLine);
  return answer;
}

/** Queues what is told of the status that was reached. */
export function tell(context: Context, transfer: Transfer, atMs: number): void {
  const { url } = context.settings.webhooks;
  if (url === null) return;
  const plans: readonly WebhookPlan[] = transfer.behaviour.webhooks ?? [{}];
  for (const plan of plans) {
    if (plan.on === undefined ? !isTold(transfer) : plan.on !== transfer.status) continue;
    // Built now: what is told late is what it was then.
    const body = JSON.stringify(webhookBody(context, transfer, plan));
    context.webhooks.add({
      id: transfer.reference,
      url,
      atMs: atMs + (plan.afterMs ?? 0),
      body: () => body,
      ...(plan.signing !== undefined && { signing: plan.signing }),
    });
  }
}
