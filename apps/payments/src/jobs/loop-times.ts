import { setTimeout as pause } from 'node:timers/promises';

export const IDLE_MS = 5_000;
/** Due work waits this long between rounds while partners wait. */
const GIVE_WAY_MS = 250;

export async function giveWay({ crowded }: { readonly crowded: boolean }): Promise<void> {
  if (crowded) await pause(GIVE_WAY_MS);
}
