import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Logger, Metrics } from '@vuka/runtime';

import { Circuit, CircuitOpenError } from './circuit.js';

class Outage extends Error {}

const away = (): Promise<never> => Promise.reject(new Outage('no connection (ECONNREFUSED)'));
const answers = async (): Promise<string> => 'here';

describe('a circuit', () => {
  const error = jest.fn();
  const info = jest.fn();
  let metrics: Metrics;
  let circuit: Circuit;

  beforeEach(() => {
    jest.useFakeTimers();
    error.mockClear();
    info.mockClear();
    metrics = new Metrics('gateway');
    circuit = new Circuit({
      callee: 'payments',
      isOutage: (thrown) => thrown instanceof Outage,
      log: { error, info } as unknown as Logger,
      metrics,
    });
  });

  afterEach(() => {
    circuit.shutdown();
    jest.useRealTimers();
  });

  const call = (work: () => Promise<unknown>, fair = true): Promise<unknown> =>
    circuit.run(work, fair).catch((thrown: unknown) => thrown);
  const calls = async (times: number, work: () => Promise<unknown>): Promise<void> => {
    for (let n = 0; n < times; n++) await call(work);
  };
  const open = (): Promise<void> => calls(10, away);
  const shown = async (): Promise<string | undefined> =>
    /^vuka_internal_circuit_state{.*} (\d)$/m.exec(await metrics.text())?.[1];

  it('opens when most calls fail, logs it once, and then blocks calls', async () => {
    await calls(9, away);
    expect(circuit.state).toBe(true);
    await call(away);
    expect(circuit.state).toBe('not called, because it does not answer (no connection (ECONNREFUSED))');
    const work = jest.fn(answers);
    expect(await call(work)).toBeInstanceOf(CircuitOpenError);
    expect(work).not.toHaveBeenCalled();
    expect(error).toHaveBeenCalledTimes(1);
    expect(error.mock.calls[0]?.[0]).toMatchObject({ code: 'service_unreachable', callee: 'payments' });
    expect(await shown()).toBe('2');
  });

  it('stays closed for one slow call, and for fewer than half', async () => {
    await call(away);
    expect(circuit.state).toBe(true);
    await calls(20, answers);
    await calls(15, away);
    expect(circuit.state).toBe(true);
  });

  it('counts only outages: an error answer is an answer', async () => {
    const bug = new TypeError('a bug');
    await calls(50, () => Promise.reject(bug));
    expect(await call(() => Promise.reject(bug))).toBe(bug);
    expect(circuit.state).toBe(true);
  });

  it('forgets what is ten seconds old', async () => {
    await calls(9, away);
    jest.advanceTimersByTime(11_000);
    await calls(9, away);
    expect(circuit.state).toBe(true);
  });

  it('lets one call through after a second, and closes when it is answered', async () => {
    await open();
    jest.advanceTimersByTime(999);
    expect(await call(answers)).toBeInstanceOf(CircuitOpenError);
    jest.advanceTimersByTime(1);
    expect(await shown()).toBe('1');
    let answer: (text: string) => void = () => undefined;
    const probe = call(() => new Promise<string>((resolve) => (answer = resolve)));
    const others = jest.fn(answers);
    expect(await call(others)).toBeInstanceOf(CircuitOpenError);
    expect(others).not.toHaveBeenCalled();
    answer('here');
    expect(await probe).toBe('here');
    expect([circuit.state, await shown()]).toEqual([true, '0']);
    expect(await call(answers)).toBe('here');
    expect(info).toHaveBeenCalledTimes(1);
  });

  it('stays open for the same time again when it is not answered, without a log line', async () => {
    await open();
    for (let second = 0; second < 5; second++) {
      jest.advanceTimersByTime(1_000);
      expect(await call(away)).toBeInstanceOf(Outage);
      expect(await call(answers)).toBeInstanceOf(CircuitOpenError);
    }
    expect(error).toHaveBeenCalledTimes(1);
  });

  it('begins anew after an outage: the next single failure is one of ten again', async () => {
    await open();
    jest.advanceTimersByTime(1_000);
    await call(answers);
    await calls(5, away);
    expect(circuit.state).toBe(true);
    await calls(5, away);
    expect(circuit.state).not.toBe(true);
    expect(error).toHaveBeenCalledTimes(2);
  });

  it('does not count a call without time left, and makes no such call while half open', async () => {
    for (let n = 0; n < 50; n++) await call(away, false);
    expect(circuit.state).toBe(true);
    await open();
    jest.advanceTimersByTime(1_000);
    expect(await call(answers, false)).toBeInstanceOf(CircuitOpenError);
    expect(await call(answers)).toBe('here');
    expect(await call(answers, false)).toBe('here');
  });

  it('blocks every call after its shutdown', async () => {
    circuit.shutdown();
    const work = jest.fn(answers);
    expect(await call(work)).toBeInstanceOf(CircuitOpenError);
    expect(work).not.toHaveBeenCalled();
  });
});
