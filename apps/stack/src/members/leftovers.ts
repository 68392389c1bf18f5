import { endProcess, identifyProcess } from '@vuka/runtime';

import type { RunFacts } from '../parts/stack-files.js';

type Recorded = RunFacts['processes'][number];

const FAST_STOP_MS = 10_000;
const KILL_MS = 5_000;
/** PostgreSQL stops at once on SIGINT; on SIGTERM it waits for its clients. */
const POLITE: Readonly<Record<string, NodeJS.Signals>> = { postgres: 'SIGINT' };

/** Compares start times too, because ids are reused. */
export function leftovers(recorded: readonly Recorded[]): Recorded[] {
  return recorded.filter(({ pid, started }) => identifyProcess(pid)?.started === started);
}

/**
 * Ends what a killed supervisor left. Our processes end by themselves within seconds, so this waits, then kills.
 * Throws naming what stays.
 */
export async function endLeftovers(recorded: readonly Recorded[]): Promise<Recorded[]> {
  const found = leftovers(recorded);
  const outcomes = await Promise.all(found.map(endOne));
  const stubborn = found.filter((_, index) => outcomes[index] === false);
  if (stubborn.length > 0)
    throw new Error(
      `these processes do not end: ${stubborn.map(({ name, pid }) => `${name} (process ${pid})`).join(', ')}`,
    );
  return found;
}

async function endOne({ name, pid, started }: Recorded): Promise<boolean> {
  const identity = { started, commandLine: '' };
  // A paused process handles other signals only after SIGCONT.
  if (identifyProcess(pid)?.started === started) process.kill(pid, 'SIGCONT');
  return (
    (await endProcess(pid, identity, POLITE[name] ?? 'SIGTERM', FAST_STOP_MS)) ||
    endProcess(pid, identity, 'SIGKILL', KILL_MS)
  );
}
