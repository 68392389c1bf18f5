import { expect } from '@jest/globals';
import type { CrashPoint } from '@vuka/runtime';
import type { Environment, VukaProcess } from '@vuka/testing';

const CRASH_AT = 'VUKA_CRASH_AT';
const DIES_WITHIN_MS = 60_000;
const MOST_EARLY_DEATHS = 6;

export interface DeathWish {
  readonly point: CrashPoint;
  readonly times: number;
  /** Longer if work of the last dead process must first be released. */
  readonly withinMs?: number;
}

export const armed = ({ point, times }: DeathWish): Environment => ({ [CRASH_AT]: `${point}:${times}` });
export const UNARMED: Environment = { [CRASH_AT]: '' };

export async function diesAt(
  vuka: VukaProcess,
  { point, times, withinMs = DIES_WITHIN_MS }: DeathWish,
  load: () => Promise<unknown>,
): Promise<void> {
  // Leftover work may reach the point during the start; then it must crash later, so that the load arrives.
  for (
    let deaths = 0;
    !vuka.isRunning() && !(await startArmed(vuka, { point, times: Math.ceil(times * (1 + deaths / 2)) }));
    deaths += 1
  )
    expect(deaths).toBeLessThan(MOST_EARLY_DEATHS);
  const [death] = await Promise.all([vuka.death(withinMs), load()]);
  expect([death.signal, vuka.output().includes(`crash point ${point} reached`)]).toEqual(['SIGKILL', true]);
}

/** false: leftover work reached the point before the start was ready. */
async function startArmed(vuka: VukaProcess, wish: DeathWish): Promise<boolean> {
  try {
    await vuka.restart(armed(wish));
    return true;
  } catch (error) {
    if (!vuka.output().includes(`crash point ${wish.point} reached`)) throw error;
    return false;
  }
}
