import { describe, expect, it } from '@jest/globals';

import { BUILD_FORMAT, formatOf } from './build-format.js';

describe('the format', () => {
  class One1 {
    readonly name = 'one_1';
    async up(): Promise<void> {}
    async down(): Promise<void> {}
  }
  class Two2 {
    readonly name = 'two_2';
    async up(): Promise<void> {}
    async down(): Promise<void> {}
  }
  class Nameless3 {
    async up(): Promise<void> {}
    async down(): Promise<void> {}
  }

  it('changes with every added, removed or renamed migration, and with another file format', () => {
    const all = [
      formatOf({ a: [One1], b: [Two2] }, 1),
      formatOf({ a: [One1, Two2], b: [] }, 1),
      formatOf({ a: [One1], b: [] }, 1),
      formatOf({ a: [One1], b: [Nameless3] }, 1),
      formatOf({ a: [One1], b: [Two2] }, 2),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(formatOf({ a: [One1], b: [Two2] }, 1)).toBe(all[0]);
  });

  it('is of this build’s migrations, each by a name', () => {
    expect(BUILD_FORMAT).toMatch(/^[0-9a-f]{16}$/);
  });
});
