import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { generatedDocuments } from './documents.js';

const folder = join(import.meta.dirname, '../../../../docs/generated');

describe('docs/generated', () => {
  it.each(Object.entries(generatedDocuments()))('%s is what npm run generate writes', (name, text) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  it('draws every state of both machines', () => {
    const { 'transaction-machine.md': transaction = '', 'attempt-machine.md': attempt = '' } = generatedDocuments();
    expect(transaction.match(/^ {2}\S+ --> \S+/gm)?.length).toBeGreaterThan(20);
    expect(attempt).toContain('  NOT_PAID --> PAID: succeeded !');
  });

  it('holds nothing that is no longer generated', () => {
    const ours = readdirSync(folder).filter((name) =>
      readFileSync(join(folder, name), 'utf8').includes('from libs/domain'),
    );
    expect(ours.sort()).toEqual(Object.keys(generatedDocuments()).sort());
  });
});
