import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

/** Take 150 to 450 ms to load. */
const HEAVY = ['ethers', '@solana/web3.js', '@stellar/stellar-sdk', 'litesvm'];
/** Runtime imports and exports, not types. */
const STATIC = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** Transitive. */
function loadedBy(file: string, seen = new Map<string, string>(), by = 'nobody'): ReadonlyMap<string, string> {
  if (seen.has(file)) return seen;
  seen.set(file, by);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(STATIC)) {
    const path = name.startsWith('.') ? join(dirname(file), name.replace(/\.js$/, '.ts')) : name;
    if (existsSync(path)) loadedBy(path, seen, file);
    else if (!seen.has(path)) seen.set(path, file);
  }
  return seen;
}

const heavyIn = (entry: string): unknown[] =>
  [...loadedBy(join(import.meta.dirname, entry))].filter(([name]) => HEAVY.includes(name));

describe('what is loaded', () => {
  it("of the library itself is no chain's own library", () => {
    expect(heavyIn('index.ts')).toEqual([]);
    expect(heavyIn('evm/outgoing.ts')).not.toEqual([]);
  });

  it.each([
    ['evm', ['ethers']],
    ['solana', ['@solana/web3.js']],
    ['stellar', ['@stellar/stellar-sdk']],
  ])('to read %s is its own alone, if any', (family, own) => {
    expect(
      heavyIn(`${family}/${family}-reader.ts`).filter((found) => !own.includes(String((found as string[])[0]))),
    ).toEqual([]);
  });
});
