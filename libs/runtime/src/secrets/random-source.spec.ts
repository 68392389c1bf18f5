import { describe, expect, it, jest } from '@jest/globals';

const draws: number[] = [];
const crypto = await import('node:crypto');
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  randomFillSync: (buffer: Buffer) => {
    draws.push(buffer.length);
    return crypto.randomFillSync(buffer);
  },
}));
const { pooledRandomBytes, uuidv7 } = await import('./random-source.js');

describe('pooled random bytes', () => {
  it('are drawn in bulk', () => {
    draws.length = 0;
    for (let n = 0; n < 4_096; n += 1) pooledRandomBytes(16);
    expect(draws.length).toBeGreaterThanOrEqual(16);
    expect(draws.length).toBeLessThanOrEqual(17);
  });

  it('are never the same twice, and never those that were wiped', () => {
    const seen = new Set<string>();
    for (let n = 0; n < 20_000; n += 1) seen.add(pooledRandomBytes(8 + (n % 17)).toString('hex'));
    expect(seen.size).toBe(20_000);
    for (const text of seen) expect(text).not.toMatch(/^0+$/);
  });

  it('belong to the caller: later bytes do not share memory with them', () => {
    const first = pooledRandomBytes(32);
    const before = first.toString('hex');
    const others = Array.from({ length: 1_000 }, () => pooledRandomBytes(32));
    expect(first.toString('hex')).toBe(before);
    first.fill(0);
    for (const other of others) expect(other.equals(first)).toBe(false);
  });

  it('come in every size up to the pool’s', () => {
    for (const size of [0, 1, 4_095, 4_096, 1]) expect(pooledRandomBytes(size)).toHaveLength(size);
    expect(() => pooledRandomBytes(4_097)).toThrow('at most 4096');
  });

  it('use every value of a byte', () => {
    const values = new Set<number>();
    for (let n = 0; n < 100; n += 1) for (const byte of pooledRandomBytes(256)) values.add(byte);
    expect(values.size).toBe(256);
  });
});

describe('uuidv7', () => {
  it('is a version 7 UUID of this millisecond, and never the same twice', () => {
    const before = Date.now();
    const ids = Array.from({ length: 10_000 }, () => uuidv7());
    const after = Date.now();
    expect(new Set(ids).size).toBe(10_000);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const madeAt = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
      expect(madeAt).toBeGreaterThanOrEqual(before);
      expect(madeAt).toBeLessThanOrEqual(after);
    }
  });
});
