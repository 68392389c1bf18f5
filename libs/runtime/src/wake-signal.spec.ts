import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { WakeSignal } from './wake-signal.js';

describe('wake signal', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const watch = (promise: Promise<void>): { readonly done: boolean } => {
    const state = { done: false };
    void promise.then(() => (state.done = true));
    return state;
  };
  const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0).then(() => undefined);

  it('wakes all who wait, at once', async () => {
    const signal = new WakeSignal();
    const waits = [watch(signal.wait(1_000)), watch(signal.wait(1_000))];
    await settle();
    expect(waits.map(({ done }) => done)).toEqual([false, false]);
    signal.notify();
    await settle();
    expect(waits.map(({ done }) => done)).toEqual([true, true]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps one notification for the next wait, and only one', async () => {
    const signal = new WakeSignal();
    signal.notify();
    signal.notify();
    const [next, after] = [watch(signal.wait(1_000)), watch(signal.wait(1_000))];
    await settle();
    expect([next.done, after.done]).toEqual([true, false]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(after.done).toBe(true);
  });

  it('ends a wait when told to stop, before and during it', async () => {
    const signal = new WakeSignal();
    const stop = new AbortController();
    const during = watch(signal.wait(1_000, stop.signal));
    stop.abort();
    const before = watch(signal.wait(1_000, stop.signal));
    await settle();
    expect([during.done, before.done]).toEqual([true, true]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
