import { describe, expect, it } from '@jest/globals';
import { coverageDigest, fullCoverage } from '@vuka/domain';
import { createLogger, ManualClock } from '@vuka/runtime';

import { ROLLED_OUT_WITHIN_MS, RoutesWatch } from './routes-watch.js';

const OURS = fullCoverage(['sandbox']);
const OTHER = coverageDigest(fullCoverage(['sandbox_b']));

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('test', {
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const clock = new ManualClock(new Date());
  const watch = new RoutesWatch(OURS, clock, log);
  return { lines, clock, watch };
}

describe('routes of a gateway', () => {
  it('that are those of payments, or are not said, are nothing to tell', () => {
    const { watch, clock, lines } = setUp();
    for (let minutes = 0; minutes < 10; minutes += 1) {
      watch.hear(coverageDigest(fullCoverage(['sandbox'])));
      watch.hear(undefined);
      clock.advance(60_000);
    }
    expect(lines).toEqual([]);
  });

  it('that differ for over two minutes are an alarm, once', () => {
    const { watch, clock, lines } = setUp();
    watch.hear(OTHER);
    clock.advance(ROLLED_OUT_WITHIN_MS - 1);
    watch.hear(OTHER);
    expect(lines).toEqual([]);
    for (let seconds = 0; seconds < 10; seconds += 1) {
      clock.advance(1_000);
      watch.hear(OTHER);
    }
    expect(lines).toMatchObject([
      { code: 'providers_file_differs', gateway_routes: OTHER, payments_routes: coverageDigest(OURS) },
    ]);
  });

  it('of a roll-out that is long over do not count for the next', () => {
    const { watch, clock, lines } = setUp();
    watch.hear(OTHER);
    clock.advance(24 * 3_600_000);
    watch.hear(OTHER);
    expect(lines).toEqual([]);
  });

  it('are remembered in bounded memory', () => {
    const { watch } = setUp();
    for (let n = 0; n < 1_000; n++) watch.hear(n.toString(16));
    expect((watch as unknown as { heard: Map<string, unknown> }).heard.size).toBeLessThanOrEqual(64);
  });
});
