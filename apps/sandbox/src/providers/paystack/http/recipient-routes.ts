import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isObject, sendHtml } from '../../simulation/plain-server.js';
import { hangUp } from '../../http/withheld-answers.js';
import { behaviourOf } from '../behaviour/numbers.js';
import { type Refusal, REFUSALS, unknownBank } from '../behaviour/refusals.js';
import type { RecipientRequest } from '../book/book-line.js';
import { DEFAULT_CURRENCY, findBank, findChannel } from '../data/channel-table.js';
import { refuse, refuseBusy, success } from './answers.js';
import { type Context, counted } from './context.js';
import { otherAccount, recipientView } from './views.js';

export function addRecipientRoutes(server: FastifyInstance, context: Context): void {
  server.post('/transferrecipient', (request, reply) => create(context, request, reply));
  server.get('/transferrecipient/:code', async (request, reply) => {
    const recipient = context.book.recipients.find(codeOf(request));
    if (recipient === undefined || recipient.isDeleted) return refuse(reply, REFUSALS.recipient_not_found);
    return success('Recipient retrieved', recipientView(context, recipient));
  });
  server.delete('/transferrecipient/:code', async (request, reply) => {
    if (!context.book.deleteRecipient(codeOf(request))) return refuse(reply, REFUSALS.recipient_not_found);
    await context.book.safe();
    return { status: true, message: 'Transfer recipient set as inactive' };
  });
}

async function create(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { book, recipientCalls, withheld } = context;
  const parsed = parseRecipient(request.body);
  if ('http' in parsed) return refuse(reply, parsed);
  const { resolve, recipientAnswer: fault } = behaviourOf(parsed.accountNumber);
  const calls = counted(recipientCalls, parsed.accountNumber);
  const isFirst = calls === 1;
  if (isFirst && (fault === 'server_error' || fault === 'too_many')) return refuse(reply, REFUSALS[fault]);
  if (resolve === 'nobody' && findChannel(parsed.type, parsed.currency)?.resolves === true)
    return refuse(reply, REFUSALS.cannot_resolve);
  if (!book.hasRoom) return refuseBusy(reply);
  const { recipient, isNew } = book.recipientFor(parsed);
  await book.safe();
  const view = recipientView(context, recipient);
  const honest = success('Transfer recipient created successfully', view);
  if (fault === 'other_account') {
    const details = { ...(view['details'] as object), account_number: otherAccount(parsed.accountNumber) };
    return success('Transfer recipient created successfully', { ...view, details });
  }
  if (isFirst && fault === 'cut') return hangUp(request, reply);
  if (isFirst && fault === 'html') return sendHtml(reply, 200);
  if (isFirst && fault === 'hold' && !(await withheld.hold(request.raw.socket))) return hangUp(request, reply);
  return reply.code(isNew ? 201 : 200).send(honest);
}

function parseRecipient(body: unknown): RecipientRequest | Refusal {
  if (!isObject(body)) return REFUSALS.invalid_params;
  const { type, name, account_number: accountNumber, bank_code: bankCode, currency = DEFAULT_CURRENCY } = body;
  const { description = null } = body;
  if (!isText(type) || !isText(name) || !isText(currency)) return REFUSALS.invalid_params;
  if (!isText(accountNumber) || !isText(bankCode)) return REFUSALS.invalid_params;
  if (!(description === null || typeof description === 'string')) return REFUSALS.invalid_params;
  const channel = findChannel(type, currency);
  if (channel === undefined) return REFUSALS.invalid_params;
  if (findBank(channel, bankCode) === undefined) return unknownBank(bankCode);
  if (!channel.account.test(accountNumber)) return REFUSALS.cannot_resolve;
  return { type, name, accountNumber, bankCode, currency, description };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function codeOf(request: FastifyRequest): string {
  return (request.params as { code: string }).code;
}
