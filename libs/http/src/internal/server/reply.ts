import { DeadlineExceededError, type ServiceUnavailableError } from '@vuka/runtime';

import type { CallOutcome } from '../call-metrics.js';
import type { CallFailure } from '../internal-protocol.js';

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly outcome: CallOutcome | 'shed';
}

export function failedReply(status: number, failure: CallFailure): Reply {
  const { kind } = failure;
  const outcome = kind === 'not_started' ? 'shed' : kind === 'contract' ? 'contract' : 'unavailable';
  return { status, text: failureText(failure), outcome };
}

export function outageReply(error: ServiceUnavailableError | DeadlineExceededError): Reply {
  const { service } = error;
  if (error instanceof DeadlineExceededError) {
    return {
      status: 504,
      text: failureText({ kind: 'deadline', service, operation: error.operation, message: error.message }),
      outcome: 'deadline',
    };
  }
  return {
    status: 500,
    text: failureText({ kind: 'unavailable', service, message: error.reason }),
    outcome: 'unavailable',
  };
}

function failureText(failure: CallFailure): string {
  return JSON.stringify({ ok: false, failure });
}
