import { callerOf, type HttpProblem } from '../../http/index.js';
import type { OperationCheck } from '../operation-check.js';

const SUSPENDED: HttpProblem = {
  code: 'forbidden',
  message:
    'Your account is suspended, so nothing new is started for it. Status, lists and webhooks go on telling what becomes of what you sent before',
};

/** 403. */
export const checkSuspension: OperationCheck = (request, _reply, operation) =>
  callerOf(request).suspended && operation.notWhileSuspended === true ? SUSPENDED : null;
