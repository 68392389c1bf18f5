import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { Logger } from './logger.js';
import { runLoop } from './run-loop.js';
import { WakeSignal } from './wake-signal.js';

describe('loop', () => {
  const error = jest.fn();
  const tick = jest.fn<() => Promise<boolean>>();
  const signal = new WakeSignal();
  const start = () => runLoop({ name: 'test', tick, signal, idleMs: 1_000, log: { error } as unknown as Logger });
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms).then(() => undefined);

  beforeEach(() => {
    jest.useFakeTimers();
    error.mockClear();
    tick.mockReset().mockResolvedValue(false);
  });
  afterEach(() => void jest.useRealTimers());

  it('continues while there is work, then sleeps until woken or idle', async () => {
    tick.mockResolvedValueOnce(true).mockResolvedValueOnce(true);
    const loop = start();
    await pass(0);
    expect(tick).toHaveBeenCalledTimes(3);
    await pass(999);
    expect(tick).toHaveBeenCalledTimes(3);
    signal.notify();
    await pass(0);
    expect(tick).toHaveBeenCalledTimes(4);
    await pass(1_000);
    expect(tick).toHaveBeenCalledTimes(5);
    await loop.stop();
  });

  it('goes on after an error, later and later up to five seconds, and soon again once it works', async () => {
    tick.mockRejectedValue(new Error('down'));
    const loop = start();
    for (const [index, pauseMs] of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].entries()) {
      await pass(0);
      expect(tick).toHaveBeenCalledTimes(index + 1);
      await pass(pauseMs - 1);
      expect(tick).toHaveBeenCalledTimes(index + 1);
      await pass(1);
    }
    tick.mockResolvedValueOnce(true);
    await pass(5_000);
    expect(error).toHaveBeenLastCalledWith(
      expect.objectContaining({ failures: 1, backoff_ms: 100, loop: 'test' }),
      expect.any(String),
    );
    await loop.stop();
  });

  it('stops after the tick in flight, and at once while it sleeps', async () => {
    let end: (more: boolean) => void = () => undefined;
    tick.mockReturnValueOnce(new Promise((resolve) => (end = resolve)));
    const loop = start();
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await pass(0);
    expect(stopped).toBe(false);
    end(true);
    await stopping;
    expect(tick).toHaveBeenCalledTimes(1);

    const sleeping = start();
    await pass(0);
    await sleeping.stop();
    expect(tick).toHaveBeenCalledTimes(2);
    expect(jest.getTimerCount()).toBe(0);
  });
});
