import { Controller, Req, Res } from '@nestjs/common';
import { queryFields } from '@vuka/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { CreateOrder } from './create-order.js';
import { FindOrder } from './find-order.js';
import { bodyOf, callContextOf, callerOf, queryOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { ORDER_OPERATIONS } from './orders.operations.js';

@Controller()
export class OrdersController {
  constructor(
    private readonly createOrder: CreateOrder,
    private readonly findOrder: FindOrder,
  ) {}

  /** The body is ignored. */
  @Answers(ORDER_OPERATIONS.checkout)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const made = await this.createOrder.run({
      caller: callerOf(request),
      query: queryFields(queryOf(request)),
      context: callContextOf(request),
    });
    if (!made.ok) {
      sendProblem(reply, made.error);
      return;
    }
    if (made.value.replayed) void reply.header('idempotent-replayed', 'true');
    sendSuccess(reply, { message: 'The order', data: made.value.order, exactNumbers: true });
  }

  @Answers(ORDER_OPERATIONS.orderStatus)
  async status(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const found = await this.findOrder.run(callerOf(request), bodyOf(request), callContextOf(request));
    if (found.ok) sendSuccess(reply, { message: 'The order', data: found.value, exactNumbers: true });
    else sendProblem(reply, found.error);
  }
}
