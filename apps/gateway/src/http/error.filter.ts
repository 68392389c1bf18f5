import { Catch, Inject, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';
import type { FastifyReply } from 'fastify';

import { sendProblem, type HttpProblem } from './answer.js';
import { problemOfException } from './refusal.js';

/** To a partner a bug is an outage: a money operation's outcome is open. */
const BROKEN: HttpProblem = {
  code: 'service_unavailable',
  message:
    'The request could not be completed, and its outcome is open. Send the same request again with the same reference or ' +
    'Idempotency-Key: it never pays twice',
};

@Injectable()
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = problemOfException(thrown);
    if (problem === null) this.log.error({ err: thrown, request_id: reply.request.id }, 'a request failed');
    if (!reply.sent) sendProblem(reply, problem ?? BROKEN);
  }
}
