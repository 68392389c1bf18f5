import { expect } from '@jest/globals';
import type { CrashPoint } from '@vuka/runtime';
import type { Environment, VukaProcess } from '@vuka/testing';

const CRASH_AT = 'VUKA_CRASH_AT';
const DIES_WITHIN_MS = 60_000;
const MOST_EARLY_DEATHS = 6;

export interface DeathWish {
  readonly point: CrashPoint;
  /** How often the place is passed before: the load has to come so far. */
  readonly times: number;
  /** Where what the last death had in hand has to be let go first. */
  readonly withinMs?: number;
}

/** For the first start of a fixture: where it is to die first. */
export const armed = ({ point, times }: DeathWish): Environment => ({ [CRASH_AT]: `${point}:${times}` });
/** For a start of a fixture that began armed. */
export const UNARMED: Environment = { [CRASH_AT]: '' };

/** Starts it where it is to die, or has it armed already where it runs; has `load` come in, and sees it die there. */
export async function diesAt(
  vuka: VukaProcess,
  { point, times, withinMs = DIES_WITHIN_MS }: DeathWish,
  load: () => Promise<unknown>,
): Promise<void> {
  // What is left over may lead there by itself: then it dies later the next time, so that the load comes in.
  for (
    let deaths = 0;
    !vuka.isRunning() && !(await startArmed(vuka, { point, times: Math.ceil(times * (1 + deaths / 2)) }));
    deaths += 1
  )
    expect(deaths).toBeLessThan(MOST_EARLY_DEATHS);
  const [death] = await Promise.all([vuka.death(withinMs), load()]);
  expect([death.signal, vuka.output().includes(`crash point ${point} reached`)]).toEqual(['SIGKILL', true]);
}

/** false: it came there before anybody had seen that it is ready, in the middle of what the last death had left behind. */
async function startArmed(vuka: VukaProcess, wish: DeathWish): Promise<boolean> {
  try {
    await vuka.restart(armed(wish));
    return true;
  } catch (error) {
    if (!vuka.output().includes(`crash point ${wish.point} reached`)) throw error;
    return false;
  }
}
