import { createHash, timingSafeEqual } from 'node:crypto';

import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

const MAX_BODY_BYTES = 64 * 1024;
/** Longer than a client's idle time, so that it is the client who lets a quiet connection go. */
const KEEP_ALIVE_MS = 75_000;
/** A page of something that stands before the API. */
const HTML = '<!DOCTYPE html><html><head><title>Please wait</title></head><body>Please wait</body></html>';

export interface TlsKey {
  readonly key: string;
  readonly cert: string;
}

export type ServerLog = (error: unknown, what: string) => void;

/** What a provider says where no route does. */
export interface PlainAnswers {
  notFound(reply: FastifyReply): FastifyReply;
  /** The body cannot be read. */
  badInput(reply: FastifyReply): FastifyReply;
  /** Something failed within; it has been logged. */
  failed(reply: FastifyReply): FastifyReply;
}

/** JSON in and out, of bounded size; a POST without a body has undefined. */
export function plainServer(log: ServerLog, https: TlsKey | null, answers: PlainAnswers): FastifyInstance {
  const options = { bodyLimit: MAX_BODY_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = (https === null ? fastify(options) : fastify({ ...options, https })) as FastifyInstance;
  // A POST without a body says that it has JSON all the same.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body);
    if (text === '') return done(null, undefined);
    try {
      return done(null, JSON.parse(text) as unknown);
    } catch (error) {
      return done(Object.assign(new Error('no JSON', { cause: error }), { statusCode: 400 }));
    }
  });
  server.setNotFoundHandler((_request, reply) => answers.notFound(reply));
  server.setErrorHandler((error, _request, reply) => {
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status < 500) return answers.badInput(reply);
    log(error, 'a request failed');
    return answers.failed(reply);
  });
  return server;
}

/** Compares digests, so that neither length nor content shows in the time taken. */
export function tokenCheck(token: string): (header: string) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest(header), expected);
}

export function sendHtml(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(HTML);
}

/** Headers promise the whole body; half of it comes. */
export function cutMidway(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  reply.raw.write(body.slice(0, body.length / 2), () => request.raw.socket.destroy());
  return reply;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
