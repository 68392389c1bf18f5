import { setTimeout as pause } from 'node:timers/promises';

/** Longest sleep of a loop that nobody wakes. */
export const IDLE_MS = 5_000;
/** What due work waits between two rounds while partners crowd in: it goes on, but they come first. */
const GIVE_WAY_MS = 250;

export async function giveWay({ crowded }: { readonly crowded: boolean }): Promise<void> {
  if (crowded) await pause(GIVE_WAY_MS);
}
