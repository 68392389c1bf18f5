import { createHash, timingSafeEqual } from 'node:crypto';

import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import { addControlRoutes } from './control-routes.js';
import { addLookupRoute } from './lookup-route.js';
import type { PayoutBook } from '../book/payout-book.js';
import { isBroken, parsePayoutRequest, PAYOUT_ID_PATTERN } from './payout-request.js';
import { entryView, payoutView } from './payout-view.js';
import { refuse } from './refusals.js';
import { hangUp, WithheldAnswers } from './withheld-answers.js';

const MAX_BODY_BYTES = 16 * 1024;
const MAX_PAGE = 1_000;
/** Longer than clients' idle time, so that clients close connections. */
const KEEP_ALIVE_MS = 75_000;
const REQUEST_TIMEOUT_MS = 10_000;
const WITHHOLD_MS = 10_000;

/** For the operator, never for the caller. */
export type ServerLog = (error: unknown, what: string) => void;

export function providerServer(book: PayoutBook, credential: string, log: ServerLog): FastifyInstance {
  const server = fastify({
    bodyLimit: MAX_BODY_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  const isOurs = credentialCheck(credential);
  const withheld = new WithheldAnswers(WITHHOLD_MS);
  // Separate, so that withheld names take no room from payouts.
  const withheldNames = new WithheldAnswers(WITHHOLD_MS);
  server.addHook('preClose', async () => {
    withheld.end();
    withheldNames.end();
  });
  server.addHook('onRequest', async (request, reply) => {
    if (!isOurs(request.headers.authorization)) return refuse(reply, 'UNAUTHORIZED', 'bearer credential required');
    return undefined;
  });
  server.setNotFoundHandler((_request, reply) => refuse(reply, 'NOT_FOUND', 'no such resource'));
  server.setErrorHandler((error, _request, reply) => {
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status < 500) return refuse(reply, 'INVALID_REQUEST', 'the body must be JSON of 16 KiB at most');
    log(error, 'a request failed');
    return refuse(reply, 'STORE_FAILED', 'the outcome is not known');
  });
  server.post('/v1/payouts', (request, reply) => submit(book, withheld, request, reply));
  server.get('/v1/payouts/:id', (request, reply) => status(book, request, reply));
  server.get('/v1/book', (request, reply) => page(book, request, reply));
  server.get('/v1/balance', async () => {
    const currencies = book.totals();
    await book.safe(book.lastLine);
    return { currencies };
  });
  addLookupRoute(server, withheldNames);
  addControlRoutes(server, book);
  return server;
}

async function submit(
  book: PayoutBook,
  withheld: WithheldAnswers,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const parsed = parsePayoutRequest(request.body);
  if (isBroken(parsed)) return refuse(reply, 'INVALID_REQUEST', `${parsed.field} must be ${parsed.rule}`);
  const answer = book.accept(parsed);
  switch (answer.kind) {
    case 'accepted': {
      const { payout, line, atMs } = answer;
      await book.safe(line);
      if (payout.behaviour.withholdsAnswer === true && !(await withheld.hold(request.raw.socket)))
        return hangUp(request, reply);
      reply.code(202);
      return { id: parsed.id, status: 'ACCEPTED', created_at: new Date(atMs).toISOString() };
    }
    case 'duplicate': {
      const { payout } = answer;
      await book.safe(payout.acceptedLine);
      return { id: parsed.id, status: 'DUPLICATE', created_at: new Date(payout.acceptedAtMs).toISOString() };
    }
    case 'id_reused':
      return refuse(reply, 'ID_REUSED', 'the id belongs to another payout');
    case 'full':
      return refuse(reply, 'BOOK_FULL', 'the sandbox takes no more payouts');
    case 'busy':
      return refuse(reply, 'BUSY', 'too many payouts at once');
    case 'no_float':
      return refuse(reply, 'INSUFFICIENT_FLOAT', 'the provider has no float for this order');
  }
}

async function status(book: PayoutBook, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { id } = request.params as { id: string };
  const payout = PAYOUT_ID_PATTERN.test(id) ? book.find(id) : undefined;
  if (payout === undefined) return refuse(reply, 'PAYOUT_NOT_FOUND', 'no payout has this id');
  // Build the view before the wait: it must be what is then on disk.
  const view = payoutView(payout);
  await book.safe(payout.lastLine);
  return view;
}

async function page(book: PayoutBook, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const query = request.query as { after?: unknown; limit?: unknown };
  const after = wholeNumber(query.after ?? '0', Number.MAX_SAFE_INTEGER);
  const limit = wholeNumber(query.limit ?? String(MAX_PAGE), MAX_PAGE);
  if (after === null) return refuse(reply, 'INVALID_REQUEST', 'after must be a sequence number');
  if (limit === null || limit === 0) return refuse(reply, 'INVALID_REQUEST', `limit must be 1 to ${MAX_PAGE}`);
  const entries = book.page(after, limit);
  const last = after + entries.length;
  const answer = {
    entries: entries.map((entry, index) => entryView(entry, after + index + 1)),
    next_after: last,
    more: book.lastSequence > last,
  };
  await book.safe(entries.at(-1)?.line ?? 0);
  return answer;
}

function wholeNumber(text: unknown, max: number): number | null {
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return value <= max ? value : null;
}

/** Compares digests, so that timing reveals neither length nor content. */
function credentialCheck(credential: string): (header: string | undefined) => boolean {
  const expected = digest(`Bearer ${credential}`);
  return (header) => header !== undefined && timingSafeEqual(digest(header), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
