import { describe, expect, it } from '@jest/globals';

import { ManualClock } from './clock.js';
import { createLogger } from './logger.js';
import { Metrics } from './metrics.js';
import { FIRST_LOGGED, MOST_LOGGED, RefusalLog } from './refusal-log.js';

function setUp() {
  const clock = new ManualClock(new Date('2026-11-28T12:00:00Z'));
  const metrics = new Metrics('gateway');
  const counter = metrics.counter('vuka_refusals_total', 'Refusals', ['reason']);
  const text: string[] = [];
  const log = createLogger('gateway', { destination: { write: (line: string) => void text.push(line) } });
  const lines = (): Record<string, unknown>[] => text.map((line) => JSON.parse(line) as Record<string, unknown>);
  const bytes = (): number => text.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  const start = (): RefusalLog => new RefusalLog(log, counter, clock);
  return { clock, metrics, lines, bytes, start };
}

const badKey = (address: string, keyPrefix = 'vk_test_consumer_guess') =>
  ({ what: 'POST /:currency/disburse', reason: 'key_unknown', address, keyPrefix, requestId: 'r-1' }) as const;

describe('refusals', () => {
  it('are told with what, who, where from and why', () => {
    const { start, lines } = setUp();
    start().note(badKey('192.0.2.1'));
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'warn',
        code: 'request_refused',
        what: 'POST /:currency/disburse',
        reason: 'key_unknown',
        address: '192.0.2.1',
        key_prefix: 'vk_test_consumer_guess',
        request_id: 'r-1',
      }),
    ]);
  });

  it('are all counted, and the first of each reason and address logged; the others are one line at the end', async () => {
    const { clock, metrics, lines, start } = setUp();
    const refusals = start();
    for (let n = 0; n < 50; n++) refusals.note(badKey('192.0.2.1'));
    for (let n = 0; n < 2; n++) refusals.note({ ...badKey('192.0.2.1'), reason: 'rate_limited' });
    refusals.note(badKey('192.0.2.2'));
    expect(lines()).toHaveLength(FIRST_LOGGED + 3);
    clock.advance(60_000);
    refusals.note(badKey('192.0.2.1'));
    expect(lines().slice(-2)).toEqual([
      expect.objectContaining({ code: 'refusals_not_logged', by_reason: { key_unknown: 50 - FIRST_LOGGED } }),
      expect.objectContaining({ code: 'request_refused', address: '192.0.2.1' }),
    ]);
    expect(await metrics.text()).toContain('vuka_refusals_total{reason="key_unknown",service="gateway"} 52');
  });

  it.each([
    ['one address', () => '192.0.2.1'],
    ['an address each', (n: number) => `2001:db8::${n.toString(16)}`],
  ])('stay under 150 kB a minute in a flood from %s, and twice that with a restart in it', (_, addressOf) => {
    const { bytes, start } = setUp();
    for (let restart = 1; restart <= 2; restart++) {
      const refusals = start();
      for (let n = 0; n < 10_000; n++) refusals.note(badKey(addressOf(n), `vk_test_consumer_${'g'.repeat(64)}`));
      refusals.flush();
      expect(bytes()).toBeLessThan(restart * 150_000);
    }
  });

  it('have no text without end', () => {
    const { lines, start } = setUp();
    start().note({
      what: 'x'.repeat(10_000),
      reason: 'key_unknown',
      address: 'y'.repeat(10_000),
      keyPrefix: 'z'.repeat(10_000),
    });
    expect(JSON.stringify(lines()[0]).length).toBeLessThan(700);
  });

  it('leave room for other reasons only up to the bound of all', () => {
    const { lines, start } = setUp();
    const refusals = start();
    for (let n = 0; n < 2 * MOST_LOGGED; n++) refusals.note(badKey(`192.0.2.${String(n)}`));
    expect(lines()).toHaveLength(MOST_LOGGED);
  });
});
