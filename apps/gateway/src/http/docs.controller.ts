import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DOCS_FILES, type DocsFile, type DocsFiles } from '../openapi/docs-files.js';
import { Answers } from './operations.js';

/** Nothing but our own files, and no script or style inside the page. */
const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ');

const A_YEAR = 'public, max-age=31536000, immutable';
const ASK_FIRST = 'no-cache';

/** The document and the page that shows it. */
@Controller()
export class DocsController {
  constructor(@Inject(DOCS_FILES) private readonly files: DocsFiles) {}

  @Answers('openapi')
  document(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  @Answers('docs')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  private async send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const file = this.fileOf(request.routeOptions.url);
    // Only an address that names these very bytes may be kept for good, whatever somebody writes behind another.
    const isVersioned = (request.query as { v?: unknown }).v === file.version && request.routeOptions.url?.startsWith('/docs/') === true;
    void reply.headers({
      'request-id': request.id,
      'cache-control': isVersioned ? A_YEAR : ASK_FIRST,
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      etag: file.etag,
      vary: 'accept-encoding',
    });
    if (request.server.draining.now) void reply.header('connection', 'close');
    if (request.headers['if-none-match'] === file.etag) {
      void reply.code(304).send();
      return;
    }
    const zip = /\bgzip\b/i.test(String(request.headers['accept-encoding']));
    if (zip) void reply.header('content-encoding', 'gzip');
    void reply.code(200).header('content-type', file.type).send(zip ? await file.gzipped() : file.bytes);
  }

  private fileOf(path: string | undefined): DocsFile {
    const file = this.files.get(path ?? '');
    if (file === undefined) throw new Error(`${String(path)} is in the table of operations, and no file`);
    return file;
  }
}
