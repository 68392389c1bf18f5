import { DeadlineExceededError, type ServiceUnavailableError } from '@vuka/runtime';

import type { CallOutcome } from '../call-metrics.js';
import type { CallFailure } from '../internal-protocol.js';

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly outcome: CallOutcome | 'shed';
}

export function failedReply(service: string, status: number, kind: CallFailure['kind'], message: string): Reply {
  const outcome = kind === 'not_started' ? 'shed' : kind === 'contract' ? 'contract' : 'unavailable';
  return { status, text: failureText({ kind, service, message }), outcome };
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
