import { describe, expect, it } from '@jest/globals';

import { departuresSince, type AsksOfWallet } from './wallet-departures.js';

const SINCE_MS = 1_000_000;
const REACHED = 77;
const signature = (n: number): string => `${'S'.repeat(60)}${String(n).padStart(8, '1').replaceAll('0', 'z')}`;
interface Entry {
  readonly signature: string;
  readonly err: unknown;
  readonly blockTime: number | null;
}
const entry = (n: number, more: Partial<Entry> = {}): Entry => ({
  signature: signature(n),
  err: null,
  blockTime: 2_000,
  ...more,
});

/** Newest first. */
class Wallet implements AsksOfWallet {
  readonly read: string[] = [];
  pages = 0;
  isForgetful = false;
  readonly kinds = new Map<string, 'itself' | 'alike' | 'forgotten'>();

  constructor(private readonly entries: readonly Entry[]) {}

  async signatures(before: string | null, limit: number, reached: number): Promise<unknown> {
    expect(reached).toBe(REACHED);
    this.pages += 1;
    const from = before === null ? 0 : this.entries.findIndex((one) => one.signature === before) + 1;
    return this.entries.slice(from, from + limit);
  }

  async compare(one: string): Promise<'itself' | 'alike' | 'other' | 'forgotten'> {
    this.read.push(one);
    return this.kinds.get(one) ?? 'other';
  }

  async remembers(sinceMs: number): Promise<boolean> {
    expect(sinceMs).toBe(SINCE_MS);
    return !this.isForgetful;
  }
}

describe('what left a wallet', () => {
  it('is looked through back to the time and no further, failed ones left out', async () => {
    const wallet = new Wallet([
      entry(1),
      entry(2, { err: { InstructionError: [0, 'x'] } }),
      entry(3, { blockTime: null }),
      entry(4, { blockTime: 999 }),
      entry(5),
    ]);
    wallet.kinds.set(signature(3), 'alike');
    expect(await departuresSince(wallet, SINCE_MS, REACHED)).toEqual({
      isWhole: true,
      found: null,
      alike: [signature(3)],
    });
    expect(wallet.read).toEqual([signature(1), signature(3)]);
  });

  it('is whole at the end of all there is only where the endpoint remembers so far back', async () => {
    const wallet = new Wallet([entry(1)]);
    wallet.kinds.set(signature(1), 'itself');
    expect(await departuresSince(wallet, SINCE_MS, REACHED)).toEqual({ isWhole: true, found: signature(1), alike: [] });
    wallet.isForgetful = true;
    expect(await departuresSince(wallet, SINCE_MS, REACHED)).toMatchObject({ isWhole: false, found: signature(1) });
  });

  it('is not whole where one that is listed cannot be read', async () => {
    const wallet = new Wallet([entry(1), entry(2, { blockTime: 1 })]);
    wallet.kinds.set(signature(1), 'forgotten');
    expect(await departuresSince(wallet, SINCE_MS, REACHED)).toMatchObject({ isWhole: false });
  });

  it('has bounds: so many pages, and so many that are read', async () => {
    const failed = new Wallet(Array.from({ length: 9_000 }, (_, n) => entry(n + 1, { err: 'x' })));
    expect(await departuresSince(failed, SINCE_MS, REACHED)).toMatchObject({ isWhole: false });
    expect(failed.pages).toBe(5);
    const busy = new Wallet([...Array.from({ length: 401 }, (_, n) => entry(n + 1)), entry(999, { blockTime: 1 })]);
    expect(await departuresSince(busy, SINCE_MS, REACHED)).toEqual({ isWhole: false, found: null, alike: [] });
    expect(busy.read).toEqual([]);
  });

  it.each([
    [{}],
    ['no list'],
    [[{ signature: 'short', err: null }]],
    [[{ signature: signature(1) }]],
    [[{ ...entry(1), blockTime: 'soon' }]],
  ])('is an answer of its shape alone: %j', async (answer) => {
    const wallet = Object.assign(new Wallet([]), { signatures: async () => answer });
    await expect(departuresSince(wallet, SINCE_MS, REACHED)).rejects.toThrow();
  });
});
