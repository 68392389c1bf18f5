import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { PAYOUT_EVENT_TYPES, TRANSACTION_STATES } from '@vuka/domain';

import { coveragePage } from './coverage-page.js';
import { SANDBOX_PATHS } from './checker/sandbox-paths.js';

describe('docs/generated/coverage.md', () => {
  it('is what the roads say: run `npm run generate` otherwise', () => {
    expect(readFileSync(join(import.meta.dirname, '../../../docs/generated/coverage.md'), 'utf8')).toBe(coveragePage());
  });

  it('names cells that exist', () => {
    const cells = new Set(
      Object.keys(TRANSACTION_STATES).flatMap((state) => PAYOUT_EVENT_TYPES.map((event) => `${state} ${event}`)),
    );
    expect(SANDBOX_PATHS.flatMap((path) => path.cells.filter((cell) => !cells.has(cell)))).toEqual([]);
  });
});
