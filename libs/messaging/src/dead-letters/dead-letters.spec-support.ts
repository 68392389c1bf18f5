import type { DeadLetters } from './dead-letters.js';

/** Keeps nothing and asks for nothing, save what a test puts in its place. */
export function noDeadLetters(over: Partial<DeadLetters> = {}): DeadLetters {
  return {
    record: () => Promise.resolve(),
    anyOpen: () => Promise.resolve(false),
    openAmong: () => Promise.resolve([]),
    requested: () => Promise.resolve([]),
    replayed: () => Promise.resolve(),
    replayFailed: () => Promise.resolve(),
    ...over,
  };
}
