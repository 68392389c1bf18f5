import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { asvsPage, LEVELS, requirements, ROWS, testOf } from '../generate/asvs.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
/** As many as the standard says that it has at these levels: 70 and 183. */
const OF_LEVELS = [70, 183];

describe('the table of OWASP ASVS', () => {
  it('has each requirement of levels 1 and 2', () => {
    const all = requirements();
    expect([1, 2].map((level) => all.filter((one) => one.level === level).length)).toEqual(OF_LEVELS);
    expect(all.filter(({ row }) => row === undefined).map(({ id }) => id)).toEqual([]);
  });

  it('has rows of requirements that there are, each with one answer', () => {
    const known = Object.keys(LEVELS).flatMap((section) => [section.split('.')[0], section]);
    const ids = Object.entries(LEVELS).flatMap(([section, levels]) =>
      [...levels].map((_, place) => `${section}.${String(place + 1)}`),
    );
    expect(Object.keys(ROWS).filter((id) => !known.includes(id) && !ids.includes(id))).toEqual([]);
    const answers = Object.entries(ROWS).filter(
      ([, row]) => ['what', 'none', 'deploy', 'open'].filter((kind) => kind in row).length !== 1,
    );
    expect(answers).toEqual([]);
    expect(Object.entries(ROWS).filter(([, row]) => 'what' in row && !row.tests && !row.page)).toEqual([]);
  });

  it('names tests that there are', () => {
    const gone = Object.values(ROWS)
      .flatMap(({ tests = [] }) => tests.map(testOf))
      .filter(({ file, title }) => title === '' || !existsSync(join(ROOT, file)) || !read(file).includes(title));
    expect(gone).toEqual([]);
  });

  it('names pages that there are', () => {
    const pages = Object.values(ROWS).flatMap(({ page }) => (page === undefined ? [] : [page]));
    expect(pages.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
  });

  it('is the page as it was written last', () => {
    expect(read('docs/generated/asvs.md')).toBe(asvsPage());
  });
});
