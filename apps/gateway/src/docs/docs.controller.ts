import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DOCS_FILES } from './docs-files.js';
import { Answers } from '../operations/index.js';
import { fileAt, type PublishedFiles, sendFile } from '../http/index.js';
import { DOCS_OPERATIONS } from './docs.operations.js';

/** Nothing but our own files, and no script or style inside the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The document, and the site for partners. */
@Controller()
export class DocsController {
  constructor(@Inject(DOCS_FILES) private readonly files: PublishedFiles) {}

  @Answers(DOCS_OPERATIONS.openapi)
  document(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  @Answers(DOCS_OPERATIONS.docs)
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  @Answers(DOCS_OPERATIONS.docsSandbox)
  sandboxPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  private send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return sendFile(request, reply, fileAt(this.files, request), {
      policy: POLICY,
      versioned: request.routeOptions.url?.startsWith('/docs/') === true,
    });
  }
}
