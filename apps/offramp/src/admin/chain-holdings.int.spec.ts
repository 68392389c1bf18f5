import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainBalances, Holdings } from '@vuka/chains';
import { createLogger, systemClock } from '@vuka/runtime';

import { hashOf, settingsOf } from '../testing/offramp.spec-support.js';
import { type HandChain, NOW, RefundFixture, WALLET } from '../transfers/refund-fixture.spec-support.js';
import { ChainHoldings, type HoldingsView } from './chain-holdings.js';

const HEIGHT = 500;
const TREASURY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const [DEPOSITED, PARTNERS] = ['0xdep', '0x00000000000000000000000000000000000000a1'];

class ScriptedBalances implements ChainBalances {
  chain = 'CELO';
  asked: { readonly addresses: readonly string[]; readonly at: number }[] = [];
  says: Holdings | null = null;

  sums(addresses: readonly string[], at: number): Promise<Holdings> {
    this.asked.push({ addresses, at });
    return Promise.resolve(this.says ?? { kind: 'holdings', from: at, to: at, minor: new Map([['USDC', 7n]]) });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

let fixture: RefundFixture;
let balances: ScriptedBalances;
let outgoing: HandChain;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  await fixture.db.query('truncate scan_cursors, incoming_transfers, deposit_addresses');
  [balances, outgoing] = [new ScriptedBalances(), fixture.chain];
  await scannedTo(HEIGHT);
});

async function scannedTo(height: number): Promise<void> {
  await fixture.db.query(
    `insert into scan_cursors (chain, cursor, next_page_at, moved_at) values ('CELO', $1, now(), now()) on conflict (chain) do update set cursor = excluded.cursor`,
    [`${String(height)} ${hashOf(1)} 400`],
  );
}

async function incomingTransfer(
  n: number,
  more: {
    symbol?: string | null;
    block?: number;
    minor?: number;
    claimed?: boolean;
    reverted?: boolean;
    ordinal?: number;
  } = {},
): Promise<void> {
  await fixture.db.query(
    `insert into incoming_transfers (chain, transaction_hash, address, ordinal, token, symbol, amount_minor, sender, is_dust, block_number, block_hash, block_time, seen_at, claimed_at, reverted_at)
     values ('CELO', $1, $2, $3, '0xtok', $4, $5, '0xs', false, $6, '0xb', $7, $7, case when $8 then $7::timestamptz end, case when $9 then $7::timestamptz end)`,
    [
      hashOf(n),
      DEPOSITED,
      more.ordinal ?? 0,
      more.symbol === undefined ? 'USDC' : more.symbol,
      more.minor ?? 5,
      more.block ?? HEIGHT,
      NOW,
      more.claimed ?? false,
      more.reverted ?? false,
    ],
  );
}

function read(
  endpoints: Record<string, string[]> = { CELO: ['http://127.0.0.1:9'] },
  more: object = {},
  env: 'sandbox' | 'live' = 'sandbox',
): Promise<HoldingsView> {
  const settings = settingsOf(endpoints);
  const chains = { ...settings.chains, refundWallets: { evm: WALLET }, ...more };
  const open = () => Promise.resolve({ balances, outgoing });
  const log = createLogger('test', { level: 'silent' });
  return new ChainHoldings(fixture.db, { env, chains }, systemClock, log, open).read();
}
const usdc = ({ holdings }: HoldingsView): HoldingsView['holdings'][number] | undefined =>
  holdings.find(({ asset }) => asset === 'USDC@CELO');

describe('what our addresses hold, as offramp tells it', () => {
  it('is read at the block that was looked through last, of partners, of what something came to, and of the refund wallet', async () => {
    await fixture.deposit(1, 'consumed');
    await fixture.db.query(
      `insert into deposit_addresses (partner_id, family, purpose, derivation_index, xpub_id, address, created_at) values (1, 'evm', 'partner', 0, 'x', $1, now()), (1, 'evm', 'order', 1, 'x', '0xorder', now()), (1, 'solana', 'partner', 2, 'x', 'So1', now())`,
      [PARTNERS],
    );
    expect(usdc(await read())).toEqual({
      chain: 'CELO',
      asset: 'USDC@CELO',
      decimals: 6,
      height: HEIGHT,
      addresses: 3,
      held_minor: 7n,
      unrecorded_minor: 0n,
      endowment_minor: null,
      funded_minor: null,
    });
    expect(balances.asked.map(({ addresses, at }) => [addresses.map((one) => one.toLowerCase()).sort(), at])).toEqual([
      [[DEPOSITED, PARTNERS, WALLET.toLowerCase()].sort(), HEIGHT],
    ]);
  });

  it('has beside it what people say in live that they funded our addresses with, as the file has it at the moment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'funded-'));
    const ownAddressesFile = join(folder, 'own.json');
    const told = async (entries: unknown): Promise<HoldingsView> => {
      await writeFile(ownAddressesFile, JSON.stringify(entries));
      return read(undefined, { ownAddressesFile }, 'live');
    };
    try {
      const view = await told([
        { address: WALLET, funded: { 'USDC@CELO': '1000.5', 'USDT@CELO': '0' } },
        { address: TREASURY, funded: { 'USDC@CELO': '2' } },
      ]);
      expect(view.holdings.map(({ asset, funded_minor }) => [asset, funded_minor]).sort()).toEqual([
        ['CUSD@CELO', null],
        ['USDC@CELO', 1_002_500_000n],
        ['USDT@CELO', 0n],
      ]);
      expect(usdc(view)?.addresses).toBe(2);
      expect(usdc(await told([TREASURY]))?.funded_minor).toBeNull();
      expect((await told([{ address: TREASURY, funded: { 'USDC@CELO': '-1' } }])).not_read).toEqual([
        {
          chain: 'CELO',
          why: expect.stringMatching(/OWN_ADDRESSES_FILE .*: entry 1: an amount must be/),
          is_away: true,
        },
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is given in whole endowments where the sandbox has funded the wallet itself', async () => {
    expect(usdc(await read(undefined, { refundWallets: {} }))?.endowment_minor).toBe(10n ** 15n);
  });

  it('has beside it what came up to there and is no deposit', async () => {
    await fixture.deposit(1, 'consumed');
    await incomingTransfer(1);
    await incomingTransfer(2, { minor: 3 });
    await incomingTransfer(2, { minor: 4, ordinal: 1 });
    await incomingTransfer(3, { block: HEIGHT + 1 });
    await incomingTransfer(4, { reverted: true });
    await incomingTransfer(5, { symbol: null });
    await incomingTransfer(6, { claimed: true });
    // The same transaction's USDC is a deposit; this USDT is not.
    await incomingTransfer(1, { symbol: 'USDT', minor: 9, ordinal: 1 });
    const view = await read();
    expect(view.holdings.map(({ asset, unrecorded_minor }) => [asset, unrecorded_minor]).sort()).toEqual([
      ['CUSD@CELO', 0n],
      ['USDC@CELO', 7n],
      ['USDT@CELO', 9n],
    ]);
  });

  it('has beside it the newest deposits: in a block that was read, in a later one, and gone', async () => {
    const ids = [
      await fixture.deposit(1, 'consumed'),
      await fixture.deposit(2, 'unapplied'),
      await fixture.deposit(3, 'consumed'),
    ];
    await fixture.db.query('update deposits set block_number = $2 where id = $1', [ids[1], HEIGHT + 1]);
    await fixture.vanish(ids[2] ?? 0);
    const { deposits } = await read();
    expect(deposits.map(({ id, on_chain, amount_minor }) => [id, on_chain, amount_minor]).sort()).toEqual([
      [ids[0], true, 12_500_000n],
      [ids[1], false, 12_500_000n],
      [ids[2], false, 12_500_000n],
    ]);
  });

  it('has beside it the refunds that are in a block: final, or signed and seen there', async () => {
    await fixture.held(1);
    const worker = fixture.worker();
    await fixture.rounds(3, worker);
    expect(await fixture.state(1)).toBe('broadcast');
    expect((await read()).refunds).toEqual([]);
    outgoing.says = { kind: 'included', block: { number: HEIGHT, hash: '0xb' } };
    expect((await read()).refunds).toEqual([
      { id: 1, chain: 'CELO', asset: 'USDC@CELO', amount_minor: 12_500_000n, on_chain: true },
    ]);
    outgoing.says = { kind: 'included', block: { number: HEIGHT + 1, hash: '0xb' } };
    expect((await read()).refunds).toEqual([]);
    outgoing.says = undefined;
    outgoing.mine();
    await fixture.rounds(2, worker);
    expect([await fixture.state(1), (await read()).refunds.map(({ id, on_chain }) => [id, on_chain])]).toEqual([
      'confirmed',
      [[1, true]],
    ]);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'no endpoint can be believed',
      () => (balances.says = { kind: 'trouble', reason: '2 of 3 endpoints must agree' }),
      /must agree/,
    ],
    ['nothing was looked through yet', () => fixture.db.query('truncate scan_cursors'), /not scanned at the moment/],
    [
      'nothing was looked through for minutes',
      () => fixture.db.query(`update scan_cursors set moved_at = now() - interval '3 minutes'`),
      /not scanned at the moment/,
    ],
    [
      'the scan is in trouble',
      () => fixture.db.query(`update scan_cursors set troubled_since = now()`),
      /not scanned at the moment/,
    ],
    [
      'a transfer arrived during the reading',
      async () => {
        balances.says = { kind: 'holdings', from: HEIGHT - 1, to: HEIGHT, minor: new Map() };
        await incomingTransfer(2);
      },
      /arrived during the reading/,
    ],
    [
      'what became of a refund is not known',
      async () => {
        await fixture.held(1);
        await fixture.rounds(2, fixture.worker());
        outgoing.says = { kind: 'trouble', reason: 'down' };
      },
      /refund 1 is not known/,
    ],
  ])('is not read where %s', async (_what, plant, why) => {
    await plant();
    expect(await read()).toMatchObject({
      holdings: [],
      not_read: [{ chain: 'CELO', why: expect.stringMatching(why), is_away: true }],
    });
  });

  it('is not read on a chain that something came to and that is not configured', async () => {
    await fixture.deposit(1, 'consumed');
    expect(await read({})).toEqual({
      holdings: [],
      deposits: [],
      refunds: [],
      not_read: [{ chain: 'CELO', why: 'no endpoint of the chain is configured here', is_away: false }],
    });
  });
});
