import type { MonotonicClock } from '@vuka/runtime';

/** Calls within `forMs` share one answer. Failures are not cached. */
export function shared<T>(forMs: number, clock: MonotonicClock, ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  let known: { readonly value: T; readonly atMs: number } | undefined;
  return () => {
    if (asked !== undefined) return asked;
    if (known !== undefined && clock.monotonicMs() - known.atMs < forMs) return Promise.resolve(known.value);
    asked = ask()
      .then((value) => {
        known = { value, atMs: clock.monotonicMs() };
        return value;
      })
      .finally(() => (asked = undefined));
    return asked;
  };
}
