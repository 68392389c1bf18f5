import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { operationsPage, SERVICES, type InternalApi } from './index.js';

describe('docs/generated/internal-operations.md', () => {
  it('is what the rows say: run `npm run generate` otherwise', () => {
    const page = join(import.meta.dirname, '../../../docs/generated/internal-operations.md');
    expect(readFileSync(page, 'utf8')).toBe(operationsPage());
  });
});

describe('the rows of internal operations', () => {
  const apis = Object.entries(SERVICES as Record<string, { api: InternalApi | null }>);

  it.each(apis)('of %s say in a sentence what each does', (service, { api }) => {
    expect(api?.service).toBe(service);
    for (const { summary } of Object.values(api?.operations ?? {})) expect(summary).toMatch(/^[A-Z].*[^.]$/);
  });
});
