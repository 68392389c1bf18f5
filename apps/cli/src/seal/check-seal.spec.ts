import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SealedBlock } from '@vuka/persistence';
import { ServiceUnavailableError } from '@vuka/runtime';

import type { Admin } from '../admin-client.js';
import { checkSeal } from './check-seal.js';

let folder: string;
let file: string;
let chains: Record<string, SealedBlock[]>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vuka-heads-'));
  file = join(folder, 'heads.txt');
  chains = { ledger: [block(1, 'a'), block(2, 'b')], audit_entries: [block(1, 'c')] };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function block(number: number, letter: string, over: Partial<SealedBlock> = {}): SealedBlock {
  const place = (xid: number) => ({ xid: String(xid), id: '1' });
  return {
    number,
    epoch: 1,
    hash: letter.repeat(64),
    root: 'e'.repeat(64),
    rows: 3,
    from: place(number - 1),
    to: place(number),
    sealedAt: new Date('2026-11-28T18:00:00Z'),
    fault: null,
    ...over,
  };
}

const nothing = { sealHeads: async () => [], sealedBlocks: async () => [] };

function adminWith(payments: object): Admin {
  return {
    gateway: nothing,
    offramp: nothing,
    checkout: nothing,
    notifier: nothing,
    views: nothing,
    payments,
  } as unknown as Admin;
}

const admin = (): Admin =>
  adminWith({
    sealHeads: async () => Object.keys(chains).map((chain) => ({ chain })),
    sealedBlocks: async ({ chain, after }: { chain: string; after: number }) =>
      (chains[chain] ?? []).filter(({ number }) => number > after).slice(0, 1),
  });

const check = (write: boolean) => checkSeal({ file, write, archives: [] }, admin());
const lines = (): string[] => readFileSync(file, 'utf8').trim().split('\n');

describe('the seal against a file outside the database', () => {
  it('is written block by block, and grows by what is new', async () => {
    expect(await check(true)).toMatchObject({ written: 3, check: { broken: [] } });
    expect(lines()).toEqual([
      `payments ledger 1 1 ${'a'.repeat(64)}`,
      `payments ledger 1 2 ${'b'.repeat(64)}`,
      `payments audit_entries 1 1 ${'c'.repeat(64)}`,
    ]);
    chains['ledger']?.push(block(3, 'd'));
    expect(await check(true)).toMatchObject({ written: 1 });
    expect(lines()).toHaveLength(4);
    expect(await check(false)).toMatchObject({ written: null, check: { broken: [] }, not_read: [] });
  });

  it('names the first block that is another one, and adds nothing to the file', async () => {
    await check(true);
    chains['ledger'] = [block(1, 'a'), block(2, '0'), block(3, '1')];
    const { check: found, written } = await check(true);
    expect(found.broken).toEqual([
      expect.objectContaining({
        service: 'payments',
        chain: 'ledger',
        block: 2,
        what: 'it is not the block that the file knows',
      }),
    ]);
    expect([written, lines().length]).toEqual([null, 3]);
  });

  it('names what a block says of itself, and a chain that is gone', async () => {
    await check(true);
    chains = { ledger: [block(1, 'a', { fault: 'rows' }), block(2, 'b')] };
    expect((await check(false)).check.broken).toEqual([
      expect.objectContaining({ chain: 'ledger', block: 1, what: expect.stringContaining('rows are not those') }),
      expect.objectContaining({ chain: 'audit_entries', block: 1, what: expect.stringContaining('ends with block 0') }),
    ]);
  });

  it('tells a restore from which block it goes on', async () => {
    await check(true);
    chains['ledger'] = [block(1, 'a'), block(2, '0', { epoch: 2 })];
    expect((await check(false)).check.broken).toEqual([
      expect.objectContaining({ block: 2, what: expect.stringContaining('epoch 2 begins after block 1') }),
    ]);
  });

  it('is not read where a service is away', async () => {
    const away = adminWith({ sealHeads: () => Promise.reject(new ServiceUnavailableError('payments', 'it is away')) });
    expect(await checkSeal({ file, write: true, archives: [] }, away)).toMatchObject({
      check: { broken: [] },
      not_read: [{ what: 'the sealed blocks of payments', is_away: true }],
    });
  });

  it.each([
    ['is not there', null],
    ['Line 2', `payments ledger 1 1 ${'a'.repeat(64)}\npayments ledger 1 2 ${'b'.repeat(63)}\n`],
    ['Line 2', `payments ledger 1 1 ${'a'.repeat(64)}\npayments ledger 1 1 ${'b'.repeat(64)}\n`],
  ])('refuses a file that cannot be one: %s', async (told, text) => {
    if (text !== null) writeFileSync(file, text);
    await expect(check(false)).rejects.toThrow(told);
  });
});
