import { ContractError, DeadlineExceededError, type Metrics } from '@vuka/runtime';

import type { Answer } from './call-encoding.js';

export type CallOutcome = 'ok' | 'problem' | 'unavailable' | 'deadline' | 'contract';

export type CountCall = (callee: string, operation: string, work: () => Promise<Answer>) => Promise<Answer>;

export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof DeadlineExceededError) return 'deadline';
  return error instanceof ContractError ? 'contract' : 'unavailable';
}

export function countCalls(metrics: Metrics | undefined): CountCall {
  if (metrics === undefined) return (_callee, _operation, work) => work();
  const calls = metrics.histogram('vuka_internal_call_seconds', 'Duration of calls to other services, for the caller', [
    'callee',
    'operation',
    'outcome',
  ]);
  return async (callee, operation, work) => {
    const began = performance.now();
    let outcome: CallOutcome = 'unavailable';
    try {
      const answer = await work();
      outcome = answer.ok ? 'ok' : 'problem';
      return answer;
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      calls.observe({ callee, operation, outcome }, (performance.now() - began) / 1_000);
    }
  };
}
