import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

/** Looks again and again until what is seen is as wanted; gives what was seen last in any case. */
export async function lookUntil(look, isIt, withinMs, everyMs = LOOK_EVERY_MS) {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isIt(seen) || Date.now() > giveUpAt) return seen;
    await pause(everyMs);
  }
}
