import { describe, expect, it } from '@jest/globals';

import { readableLine } from './readable-line.js';

describe('a line for people', () => {
  it('says when, how bad, who, what, and the rest in name=value', () => {
    const event = {
      level: 'warn',
      time: '2026-11-21T10:00:00.123Z',
      service: 'payments',
      transaction_code: 'T 1',
      tries: 3,
      msg: 'late',
    };
    expect(readableLine(JSON.stringify(event))).toBe(
      '10:00:00.123 WARN  payments   late transaction_code=T 1 tries=3\n',
    );
  });

  it("puts an error's stack below", () => {
    const event = {
      level: 'error',
      time: '2026-11-21T10:00:00.123Z',
      service: 'gateway',
      err: { stack: 'Error: no\n    at here' },
      msg: 'failed',
    };
    expect(readableLine(JSON.stringify(event))).toBe(
      '10:00:00.123 ERROR gateway    failed\n  Error: no\n    at here\n',
    );
  });
});
