import { afterEach, describe, expect, it } from '@jest/globals';

import { atDepth, drawn, testDepth } from './depth.js';

const before = { depth: process.env['VUKA_TEST_DEPTH'], draw: process.env['VUKA_TEST_DRAW'] };
const ALL = Array.from({ length: 20 }, (_, at) => at);

function set(depth: string | undefined, draw?: string): void {
  for (const [name, value] of [
    ['VUKA_TEST_DEPTH', depth],
    ['VUKA_TEST_DRAW', draw],
  ] as const) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

afterEach(() => set(before.depth, before.draw));

describe('the depth of a run', () => {
  it('is that of a commit, unless the whole is asked for', () => {
    expect([testDepth({}), testDepth({ VUKA_TEST_DEPTH: 'commit' }), testDepth({ VUKA_TEST_DEPTH: 'whole' })]).toEqual([
      'commit',
      'commit',
      'whole',
    ]);
    expect(() => testDepth({ VUKA_TEST_DEPTH: 'deep' })).toThrow('must be commit or whole');
    set('whole');
    expect(atDepth({ commit: 1, whole: 9 })).toBe(9);
    set('commit');
    expect(atDepth({ commit: 1, whole: 9 })).toBe(1);
  });

  it('of the whole leaves nothing out', () => {
    set('whole', '7');
    expect(drawn('a', ALL, 3)).toEqual(ALL);
  });

  it('of a commit draws as many as it is told, in their order, the same by the same number', () => {
    set('commit', '7');
    const first = drawn('a', ALL, 5);
    expect(first).toHaveLength(5);
    expect([...first].sort((a, b) => a - b)).toEqual(first);
    expect(drawn('a', ALL, 5)).toEqual(first);
    expect(drawn('a', ALL, 50)).toEqual(ALL);
  });

  it('has another draw by another number and for another label, and each comes to its turn', () => {
    const seen = new Set<number>();
    const draws = new Set<string>();
    for (let draw = 0; draw < 60; draw += 1) {
      set('commit', String(draw));
      const some = drawn('a', ALL, 3);
      some.forEach((one) => seen.add(one));
      draws.add(String(some));
      draws.add(String(drawn('b', ALL, 3)));
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(ALL);
    expect(draws.size).toBeGreaterThan(100);
  });
});
