import type { DeadLetters } from './dead-letters.js';

export function noDeadLetters(over: Partial<DeadLetters> = {}): DeadLetters {
  return {
    record: () => Promise.resolve(),
    recordForeign: () => Promise.resolve(true),
    anyOpen: () => Promise.resolve(false),
    openAmong: () => Promise.resolve([]),
    requested: () => Promise.resolve([]),
    replayed: () => Promise.resolve(),
    replayFailed: () => Promise.resolve(),
    ...over,
  };
}
