import { Injectable } from '@nestjs/common';
import type { InternalHandlers, paymentsApi } from '@vuka/contracts';

import { AcceptanceHandlers } from './accept/acceptance-handlers.js';
import { AnswerApproval } from './approvals/answer-approval.js';
import { ControlSandboxPayout } from './control-sandbox-payout.js';

type Handlers = AcceptanceHandlers['handlers'] &
  Pick<InternalHandlers<typeof paymentsApi>, 'answerApproval' | 'controlSandboxPayout'>;

@Injectable()
export class PayoutHandlers {
  readonly handlers: Handlers;

  constructor(acceptance: AcceptanceHandlers, approvals: AnswerApproval, sandbox: ControlSandboxPayout) {
    this.handlers = {
      ...acceptance.handlers,
      answerApproval: (input) => approvals.run(input),
      controlSandboxPayout: (input) => sandbox.run(input),
    };
  }
}
