import { endProcess, identifyProcess } from '@vuka/runtime';

import type { RunFacts } from '../parts/stack-files.js';

type Recorded = RunFacts['processes'][number];

const FAST_STOP_MS = 10_000;
const KILL_MS = 5_000;
/** A PostgreSQL ends at once when told so by SIGINT; SIGTERM would wait for its clients. */
const POLITE: Readonly<Record<string, NodeJS.Signals>> = { postgres: 'SIGINT' };

/** Those of the recorded processes that still run: the very ones, and no later ones of the same id. */
export function leftovers(recorded: readonly Recorded[]): Recorded[] {
  return recorded.filter(({ pid, started }) => identifyProcess(pid)?.started === started);
}

/**
 * Ends what an earlier supervisor, killed outright, has left behind. Ours end by themselves as soon as they notice, within
 * seconds; here they are waited for, and hurried where they hang. Throws naming what does not end.
 */
export async function endLeftovers(recorded: readonly Recorded[]): Promise<Recorded[]> {
  const found = leftovers(recorded);
  const outcomes = await Promise.all(found.map(endOne));
  const stubborn = found.filter((_, index) => outcomes[index] === false);
  if (stubborn.length > 0)
    throw new Error(`these do not end: ${stubborn.map(({ name, pid }) => `${name} (process ${pid})`).join(', ')}`);
  return found;
}

async function endOne({ name, pid, started }: Recorded): Promise<boolean> {
  const identity = { started, commandLine: '' };
  // One that was paused takes no other signal before it goes on.
  if (identifyProcess(pid)?.started === started) process.kill(pid, 'SIGCONT');
  return (
    (await endProcess(pid, identity, POLITE[name] ?? 'SIGTERM', FAST_STOP_MS)) ||
    endProcess(pid, identity, 'SIGKILL', KILL_MS)
  );
}
