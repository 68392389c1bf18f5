import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { OrderView } from '@vuka/contracts';
import type { Problem, Result } from '@vuka/domain';
import type { Settings } from '@vuka/config';
import type { Clock } from '@vuka/runtime';
import { CLOCK, SETTINGS } from '@vuka/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { callContextOf, fileAt, sendFile, sendProblem, sendSuccess, statusOf } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { orderPageView } from './order-page-view.js';
import { orderPage, type PageSurroundings } from './order-page.js';
import { PAY_FILES, payFileAt } from './files/page-files.js';
import { awayPage, noSuchOrderPage, tooManyPage } from './plain-pages.js';
import { ShownOrders } from './shown-orders.js';
import { PAY_PAGE_OPERATIONS } from './pay-page.operations.js';

/** Only our own files, nothing inline; no frames, no forms. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The address opens the page, so it must not be cached or sent as a referrer. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** Seconds. */
const RETRY_S = 5;

@Controller()
export class PayPageController {
  private readonly surroundings: PageSurroundings;

  constructor(
    private readonly orders: ShownOrders,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { env }: Pick<Settings, 'env'>,
  ) {
    this.surroundings = { fileAt: payFileAt, sandbox: env === 'sandbox' };
  }

  @Answers(PAY_PAGE_OPERATIONS.payPageFiles)
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return sendFile(request, reply, fileAt(PAY_FILES, request), { policy: POLICY, versioned: true });
  }

  @Answers(PAY_PAGE_OPERATIONS.payPage)
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const found = await this.look(request);
    if (found.ok) this.sendPage(reply, 200, orderPage(orderPageView(found.value, this.clock.now()), this.surroundings));
    else this.sendTrouble(reply, found.error);
  }

  @Answers(PAY_PAGE_OPERATIONS.payPageState)
  async state(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const found = await this.look(request);
    void reply.headers(HEADERS);
    if (!found.ok) {
      sendProblem(reply, found.error);
      return;
    }
    const { status, reason, phase, received, missing, secondsLeft, now, pollAfterS } = orderPageView(
      found.value,
      this.clock.now(),
    );
    const data = {
      status,
      reason,
      phase,
      received_amount: received,
      missing_amount: missing,
      seconds_left: secondsLeft,
      server_time: now,
      poll_after: pollAfterS,
    };
    sendSuccess(reply, { message: 'The state of the order', data });
  }

  private look(request: FastifyRequest): Promise<Result<OrderView>> {
    const { token } = request.params as { token: string };
    return this.orders.look(token, { address: request.cameFrom, context: callContextOf(request) });
  }

  private sendTrouble(reply: FastifyReply, problem: Problem): void {
    const status = statusOf(problem);
    if (status === 404) {
      this.sendPage(reply, status, noSuchOrderPage(this.surroundings));
      return;
    }
    const again = problem.retryAfterS ?? RETRY_S;
    void reply.header('retry-after', String(again));
    if (status === 429) this.sendPage(reply, status, tooManyPage(this.surroundings, again));
    else this.sendPage(reply, 503, awayPage(this.surroundings, again));
  }

  private sendPage(reply: FastifyReply, status: number, page: string): void {
    if (reply.server.draining.now) void reply.header('connection', 'close');
    void reply
      .code(status)
      .headers(HEADERS)
      .header('request-id', reply.request.id)
      .header('content-type', 'text/html; charset=utf-8')
      .send(page);
  }
}
