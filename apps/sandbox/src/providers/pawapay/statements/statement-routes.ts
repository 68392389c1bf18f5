import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isObject } from '../../simulation/plain-server.js';
import { failureReason, OTHER_CODES, type OtherCode, SUBMIT_CODES } from '../behaviour/failure-codes.js';
import { secondsText } from '../data/seconds-text.js';
import type { Context } from '../http/context.js';
import { type StatementRequest, timeOf } from './statements.js';

const MAX_RANGE_MS = 31 * 24 * 60 * 60 * 1_000;
const MEMBERS = ['wallet', 'callbackUrl', 'startDate', 'endDate', 'compressed'];

type Code = OtherCode | 'INVALID_INPUT' | 'MISSING_PARAMETER' | 'UNSUPPORTED_PARAMETER' | 'INVALID_PARAMETER';

export function addStatementRoutes(server: FastifyInstance, context: Context): void {
  server.post('/v2/statements', async (request, reply) => initiate(context, request, reply));
  server.get('/v2/statements/:id', async (request) => {
    const statement = context.statements.find((request.params as { id: string }).id);
    if (statement === undefined) return { status: 'NOT_FOUND' };
    await context.book.safe();
    return { status: 'FOUND', data: context.statements.view(statement) };
  });
}

/** Outside of the token's reach: the link is proof enough. */
export function addDownloadRoute(server: FastifyInstance, context: Context): void {
  server.get('/downloads/statements/:id', async (request, reply) => {
    const { id } = request.params as { id: string };
    const { expires = '', proof = '' } = request.query as { expires?: string; proof?: string };
    const file = context.statements.download(id, expires, proof);
    if (file === null) return reply.code(403).type('application/xml').send('<Error><Code>AccessDenied</Code></Error>');
    const isGzip = context.statements.find(id)?.request.compressed === true;
    return reply.type(isGzip ? 'application/gzip' : 'text/csv').send(file);
  });
}

function initiate(context: Context, request: FastifyRequest, reply: FastifyReply): object {
  const parsed = parse(request.body, context);
  if (typeof parsed === 'string') {
    const status = parsed in OTHER_CODES ? OTHER_CODES[parsed as OtherCode] : SUBMIT_CODES[parsed as 'INVALID_INPUT'];
    return reply.code(status).send({ status: 'REJECTED', failureReason: failureReason(parsed) });
  }
  const { statements, callbacks } = context;
  const statement = statements.add(parsed);
  const body = (): string => JSON.stringify(statements.view(statement));
  callbacks.add({ id: statement.id, url: parsed.callbackUrl, atMs: statement.readyMs, body });
  return { statementId: statement.id, status: 'ACCEPTED', created: secondsText(statement.createdMs) };
}

function parse(body: unknown, { book }: Context): StatementRequest | Code {
  if (!isObject(body)) return 'INVALID_INPUT';
  const { wallet, callbackUrl, startDate, endDate, compressed = false } = body;
  if ([wallet, callbackUrl, startDate, endDate].includes(undefined)) return 'MISSING_PARAMETER';
  if (Object.keys(body).some((name) => !MEMBERS.includes(name))) return 'UNSUPPORTED_PARAMETER';
  if (!isObject(wallet) || typeof compressed !== 'boolean') return 'INVALID_PARAMETER';
  if (typeof startDate !== 'string' || typeof endDate !== 'string') return 'INVALID_PARAMETER';
  if (typeof callbackUrl !== 'string' || !isCallbackUrl(callbackUrl)) return 'INVALID_CALLBACK_URL';
  const [from, to] = [timeOf(startDate), timeOf(endDate)];
  if (from === null || to === null) return 'INVALID_PARAMETER';
  if (to <= from || to - from > MAX_RANGE_MS) return 'INVALID_DATE_RANGE';
  const { country, currency, provider = '' } = wallet;
  const id = { country: String(country), currency: String(currency), provider: String(provider) };
  if (book.wallets.find(id) === undefined) return 'WALLET_NOT_FOUND';
  return { wallet: id, startDate, endDate, callbackUrl, compressed };
}

/** pawaPay wants https [I]; on this machine's own addresses plain http will do. */
function isCallbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname));
}
