import type { FastifyInstance } from 'fastify';

import {
  EMPTY_BODY,
  isBlank,
  isJsonType,
  parseJsonBody,
  problemOfStatus,
  Refusal,
  SENT_TWICE,
  timesSent,
} from '../http/index.js';

export function addBodyParser(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (request.operation?.rawBody === true) {
      done(null, bytes);
      return;
    }
    if (isBlank(bytes)) {
      done(null, EMPTY_BODY);
      return;
    }
    if (timesSent('content-type', request.raw.rawHeaders) > 1) {
      done(new Refusal(SENT_TWICE.contentType));
      return;
    }
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' || !isJsonType(request.sentContentType)) {
      done(new Refusal(problemOfStatus(415)));
      return;
    }
    const body = parseJsonBody(bytes);
    if (body.ok) done(null, body.value);
    else done(new Refusal(body.error));
  });
}
