import { Controller, Req, Res } from '@nestjs/common';
import type { SandboxPayoutAction } from '@vuka/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ControlSandboxPayout } from './control-sandbox-payout.js';
import { callContextOf, callerOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { SANDBOX_OPERATIONS } from './payouts.operations.js';

const ACTIONS: Readonly<Record<string, SandboxPayoutAction>> = {
  release: 'release',
  'top-up': 'top_up',
  pay: 'pay',
  reverse: 'reverse',
};

/** Sandbox only. */
@Controller()
export class SandboxPayoutsController {
  constructor(private readonly controlPayout: ControlSandboxPayout) {}

  @Answers(SANDBOX_OPERATIONS.sandboxPayout)
  async control(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const controlled = await this.controlPayout.run({
      caller: callerOf(request),
      transactionCode: (request.params as { code: string }).code,
      action: actionOf(request.routeOptions.url),
      context: callContextOf(request),
    });
    if (!controlled.ok) sendProblem(reply, controlled.error);
    else
      sendSuccess(reply, {
        message: controlled.value.done ? 'Done by the sandbox rail' : 'The sandbox rail had nothing to do',
        data: controlled.value,
      });
  }
}

function actionOf(path: string | undefined): SandboxPayoutAction {
  const action = ACTIONS[path?.split('/').at(-1) ?? ''];
  if (action === undefined) throw new Error(`${String(path)} names no action`);
  return action;
}
