import { identifyProcess } from '@vuka/runtime';

import { readRunFacts, type RunFacts } from '../parts/stack-files.js';
import type { ControlRequest } from './control-server.js';
import type { ControlAnswer } from './stack-view.js';

/** Covers waiting for a restart or scaling. */
const ANSWER_WITHIN_MS = 150_000;

/** null if no supervisor runs. */
export function runningStack(folder: string): RunFacts | null {
  const facts = readRunFacts(folder);
  if (facts === null) return null;
  const { pid, started } = facts.supervisor;
  return identifyProcess(pid)?.started === started ? facts : null;
}

/** null: the supervisor has gone. */
export async function askSupervisor({ control }: RunFacts, request: ControlRequest): Promise<ControlAnswer | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${control.port}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${control.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return (await answer.json()) as ControlAnswer;
  } catch {
    return null;
  }
}
