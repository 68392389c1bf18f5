import { expect } from '@jest/globals';
import type { CrashPoint } from '@vuka/platform';
import type { VukaProcess } from '@vuka/testing';

const DIES_WITHIN_MS = 25_000;
const MOST_EARLY_DEATHS = 6;

export interface DeathWish {
  readonly point: CrashPoint;
  /** How often the place is passed before: the load has to come so far. */
  readonly times: number;
  /** Where what the last death had in hand has to be let go first. */
  readonly withinMs?: number;
}

/** Starts it where it is to die, has `load` come in, and sees it die there. */
export async function diesAt(vuka: VukaProcess, { point, times, withinMs = DIES_WITHIN_MS }: DeathWish, load: () => Promise<unknown>): Promise<void> {
  // What is left over may lead there by itself: then it dies later the next time, so that the load comes in.
  for (let deaths = 0; !(await startArmed(vuka, point, Math.ceil(times * (1 + deaths / 2)))); deaths += 1) expect(deaths).toBeLessThan(MOST_EARLY_DEATHS);
  const [death] = await Promise.all([vuka.death(withinMs), load()]);
  expect([death.signal, vuka.output().includes(`crash point ${point} reached`)]).toEqual(['SIGKILL', true]);
}

/** false: it came there before it was ready, in the middle of what the last death had left behind. */
async function startArmed(vuka: VukaProcess, point: CrashPoint, times: number): Promise<boolean> {
  try {
    await vuka.restart({ VUKA_CRASH_AT: `${point}:${times}` });
    return true;
  } catch (error) {
    if (!vuka.output().includes(`crash point ${point} reached`)) throw error;
    return false;
  }
}
