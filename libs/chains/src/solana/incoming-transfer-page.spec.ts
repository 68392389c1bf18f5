import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ScanCursor } from '../deposit-reader.js';
import type { EndpointClient } from '../reader/endpoint-client.js';
import type { PageTestimony } from '../reader/endpoint.js';

import { IncomingTransferPage, type FinalTransactions } from './incoming-transfer-page.js';
import { encodeBase58 } from './base58.js';
import type { OurAccounts } from './our-accounts.js';
import { UnreadableError } from './transaction.js';

interface Sent {
  readonly signature: string;
  readonly slot: number;
  readonly owner: string;
  readonly account: string;
  readonly failed: boolean;
  isReadable: boolean;
  wasHidden: boolean;
}
type Page = Extract<PageTestimony, { kind: 'page' }>;

const MINTS = ['one', 'other'] as const;
const accountsOf = (owner: string): ReadonlyMap<string, string> =>
  new Map(MINTS.map((mint) => [`${owner} at ${mint}`, mint]));
const OUR = {
  of: accountsOf,
  derive: async () => undefined,
  accountOf: (owner: string, mint: string) => `${owner} at ${mint}`,
} as unknown as OurAccounts;
const MOST_PAGES = 2_000;

/** In-memory chain; the endpoint sees up to `seesTo`. */
class Chain {
  readonly sent: Sent[] = [];
  slot = 1_000;
  finalized = 990;
  /** Nodes know nothing below. */
  forgotten = 0;

  send(owner: string, mint: string, failed: boolean): void {
    const bytes = new Uint8Array(64).fill(1);
    new DataView(bytes.buffer).setUint32(1, this.sent.length);
    this.sent.push({
      signature: encodeBase58(bytes),
      slot: this.slot,
      owner,
      account: `${owner} at ${mint}`,
      failed,
      isReadable: true,
      wasHidden: false,
    });
  }

  hide(sent: Sent): void {
    sent.isReadable = false;
    sent.wasHidden = true;
  }

  async page(cursor: ScanCursor | null, addresses: readonly string[], share: number, seesTo: number): Promise<Page> {
    const seen = (): Sent[] => this.sent.filter(({ slot }) => slot <= seesTo && slot >= this.forgotten).reverse();
    const client = {
      call: async (
        _method: string,
        [account, { limit, before, minContextSlot }]: [
          string,
          { limit: number; before?: string; minContextSlot: number },
        ],
      ) => {
        expect(minContextSlot).toBeLessThanOrEqual(seesTo);
        const all = seen().filter((one) => one.account === account);
        const at = all.findIndex(({ signature }) => signature === before);
        if (before !== undefined && at < 0) return [];
        const from = at + 1;
        // Short pages, as of nodes that filter.
        return all
          .slice(from, from + Math.min(limit, 7))
          .map(({ signature, slot, failed }) => ({ signature, slot, err: failed ? 'failed' : null }));
      },
    } as unknown as EndpointClient;
    const endpoint: FinalTransactions = {
      transaction: async (signature: string, accounts: ReadonlyMap<string, string>) => {
        const one = seen().find((sent) => sent.signature === signature);
        if (one === undefined) return undefined;
        if (!one.isReadable) throw new UnreadableError('unreadable');
        return {
          slot: one.slot,
          succeeded: !one.failed,
          transfers: [...accounts.values()].map((token) => ({ token, from: 'somebody', value: 1n, ordinal: 0 })),
        };
      },
      timeAt: async (slot: number) => slot,
      existing: async (accounts: readonly string[], reached: number) => {
        expect(reached).toBeLessThanOrEqual(seesTo);
        return accounts.filter((account) => this.sent.some((one) => one.account === account && one.slot <= seesTo));
      },
      block: async (number: number) => ({ number, hash: `block ${String(number)}`, timeMs: number }),
    };
    const told = await new IncomingTransferPage(endpoint, client, OUR).of({
      cursor,
      addresses: async () => addresses,
      heights: { latest: this.slot, safe: null, finalized: this.finalized },
      share,
    });
    if (told.kind !== 'page') throw new Error(told.kind);
    return told;
  }
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      to: fc.nat(20),
      mint: fc.constantFrom(...MINTS),
      times: fc.integer({ min: 1, max: 12 }),
      failed: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ slots: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 6, arbitrary: fc.record({ share: fc.constantFrom(1, 2, 8, 64, 1_024), ahead: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ another: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ unreadable: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ readable: fc.nat() }) },
);

describe('pages of incoming transfers', () => {
  it('have each incoming transfer, whatever comes meanwhile or is too large, and what is unreadable keeps nobody waiting; and one page for all who see enough', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const chain = new Chain();
        const owners = ['m'];
        const found: string[] = [];
        let cursor = (await chain.page(null, owners, 1, chain.slot)).next;
        const turn = async (share: number, seesTo: number): Promise<Page> => {
          const page = await chain.page(cursor, owners, share, chain.finalized);
          const other = await chain.page(cursor, [...owners].reverse(), share, seesTo);
          expect(other.digest).toBe(page.digest);
          for (const { transactionId, block } of page.incomingTransfers) {
            expect(block.number).toBeLessThanOrEqual(chain.finalized);
            found.push(transactionId);
          }
          cursor = page.next;
          const { scannedTo } = page;
          if (scannedTo !== null)
            expect(
              chain.sent.filter(
                ({ slot, failed, wasHidden, signature }) =>
                  slot <= scannedTo && !failed && !wasHidden && !found.includes(signature),
              ),
            ).toEqual([]);
          return page;
        };
        for (const one of steps) {
          if ('to' in one)
            for (let time = 0; time < one.times; time += 1)
              chain.send(owners[one.to % owners.length]!, one.mint, one.failed);
          else if ('slots' in one)
            [chain.slot, chain.finalized] = [chain.slot + one.slots, chain.slot + one.slots - 10];
          else if ('share' in one) await turn(one.share, chain.finalized + one.ahead);
          // Before or after existing addresses.
          else if ('another' in one) owners.push(`${owners.length % 2 === 0 ? 'a' : 'z'}${String(owners.length)}`);
          else if (chain.sent.length === 0) continue;
          else if ('unreadable' in one) chain.hide(chain.sent[one.unreadable % chain.sent.length]!);
          else chain.sent[one.readable % chain.sent.length]!.isReadable = true;
        }
        const toHead = async (): Promise<void> => {
          [chain.slot, chain.finalized] = [chain.slot + 100, chain.slot + 90];
          // An earlier pass may be running.
          for (let [pages, heads] = [0, 0]; heads < 4; pages += 1) {
            if (pages > MOST_PAGES) throw new Error('no end');
            if ((await turn(8, chain.slot)).isAtHead) heads += 1;
          }
        };
        await toHead();
        const succeeded = chain.sent.filter(({ failed }) => !failed);
        const told = new Set(found);
        expect(succeeded.filter(({ signature, wasHidden }) => !wasHidden && !told.has(signature))).toEqual([]);
        for (const sent of chain.sent) sent.isReadable = true;
        await toHead();
        expect([...new Set(found)].sort()).toEqual(succeeded.map(({ signature }) => signature).sort());
        // Only transfers between unreadable ones are reported twice.
        const hidden = (account: string): number =>
          chain.sent.filter((sent) => sent.account === account && sent.wasHidden).length;
        const once = new Set(succeeded.filter(({ account }) => hidden(account) < 2).map(({ signature }) => signature));
        expect(found.filter((signature) => once.has(signature)).sort()).toEqual([...once].sort());
        expect(JSON.parse(cursor)).toMatchObject({ 0: chain.finalized, 1: null, 4: [], 5: [] });
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('come on where somebody keeps making what cannot be read, and the cursor does not grow', async () => {
    const chain = new Chain();
    let cursor = (await chain.page(null, ['m'], 1, chain.slot)).next;
    const found: string[] = [];
    const turn = async (): Promise<void> => {
      [chain.slot, chain.finalized] = [chain.slot + 20, chain.slot + 10];
      const page = await chain.page(cursor, ['m'], 1, chain.slot);
      found.push(...page.incomingTransfers.map(({ transactionId }) => transactionId));
      cursor = page.next;
    };
    for (let round = 0; round < 20; round += 1) {
      chain.send('m', MINTS[0], false);
      for (let time = 0; time < 3; time += 1) chain.send('m', MINTS[0], false);
      for (const sent of chain.sent.slice(-2)) chain.hide(sent);
      await turn();
      expect(cursor.length).toBeLessThan(500);
    }
    await turn();
    await turn();
    const readable = chain.sent.filter(({ isReadable }) => isReadable);
    expect(found.sort()).toEqual(readable.map(({ signature }) => signature).sort());
    for (const sent of chain.sent) sent.isReadable = true;
    for (let time = 0; time < 10; time += 1) await turn();
    expect([...new Set(found)].sort()).toEqual(chain.sent.map(({ signature }) => signature).sort());
    expect(JSON.parse(cursor)).toMatchObject({ 4: [], 5: [] });
  });

  it('begin anew where nodes have forgotten the transaction to go on from; what was left behind and is forgotten keeps nobody waiting', async () => {
    const chain = new Chain();
    let cursor = (await chain.page(null, ['m'], 1, chain.slot)).next;
    for (let time = 0; time < 60; time += 1) chain.send('m', MINTS[0], false);
    chain.send('m', MINTS[1], false);
    chain.hide(chain.sent[60]!);
    [chain.slot, chain.finalized] = [1_100, 1_090];
    const first = await chain.page(cursor, ['m'], 1, chain.slot);
    expect(first.incomingTransfers).toHaveLength(48);
    chain.forgotten = 1_050;
    const anew = await chain.page(first.next, ['m'], 1, chain.slot);
    expect([anew.incomingTransfers, anew.isAtHead]).toEqual([[], false]);
    chain.forgotten = 0;
    const told = first.incomingTransfers.map(({ transactionId }) => transactionId);
    cursor = anew.next;
    for (let turn = 0; turn < 6; turn += 1) {
      const page = await chain.page(cursor, ['m'], 1, chain.slot);
      cursor = page.next;
      told.push(...page.incomingTransfers.map(({ transactionId }) => transactionId));
    }
    expect(told).toHaveLength(48 + 60);
    expect([...new Set(told)].sort()).toEqual(chain.sent.slice(0, 60).map(({ signature }) => signature));
    chain.forgotten = 1_050;
    chain.sent[60]!.isReadable = true;
    const found: string[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      if (turn < 4) chain.send('m', MINTS[1], false);
      [chain.slot, chain.finalized] = [chain.slot + 100, chain.slot + 90];
      const page = await chain.page(cursor, ['m'], 1, chain.slot);
      cursor = page.next;
      found.push(...page.incomingTransfers.map(({ transactionId }) => transactionId));
    }
    expect(found.sort()).toEqual(chain.sent.slice(61).map(({ signature }) => signature));
    expect(JSON.parse(cursor)[5]).toHaveLength(1);
  });

  it('have no more ranges left over than there are accounts, however much comes', async () => {
    const chain = new Chain();
    let cursor = (await chain.page(null, ['m'], 1, chain.slot)).next;
    for (let round = 0; round < 10; round += 1) {
      for (let time = 0; time < 200; time += 1) chain.send('m', MINTS[0], false);
      [chain.slot, chain.finalized] = [chain.slot + 20, chain.slot + 10];
      cursor = (await chain.page(cursor, ['m'], 1, chain.slot)).next;
      expect(cursor.length).toBeLessThan(500);
    }
  });
});
