import { describe, expect, it } from '@jest/globals';

import { whereItStands } from './where-it-stands.js';

describe('where a process stands', () => {
  it('is told of each of its threads, and of none of one that has gone', () => {
    if (process.platform === 'linux') expect(whereItStands(process.pid)).toMatch(/^\S.* [RSD] \d+ \S*$/m);
    expect(whereItStands(2 ** 30)).toBe('');
  });
});
