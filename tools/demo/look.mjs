import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

export async function lookUntil(look, isIt, withinMs, everyMs = LOOK_EVERY_MS) {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isIt(seen) || Date.now() > giveUpAt) return seen;
    await pause(everyMs);
  }
}
