import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DocsSite } from './docs-site.js';
import { Answers } from '../operations/index.js';
import { fileAt, sendFile } from '../http/index.js';
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
  constructor(private readonly site: DocsSite) {}

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

  private async send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await sendFile(request, reply, fileAt(await this.site.files(), request), {
      policy: POLICY,
      versioned: request.routeOptions.url?.startsWith('/docs/') === true,
    });
  }
}
