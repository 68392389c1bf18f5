import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEvmSandbox, openReader, type SandboxChain } from '@vuka/chains';
import { acceptedTokens, chainNamed, type EvmChain } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import type { Database } from '@vuka/persistence';
import { createLogger, Metrics, systemClock, WakeSignal } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { AddressStore } from '../addresses/address.store.js';
import { ScanStore } from '../incoming-transfers/scan.store.js';
import type { ChainReader } from '../chains/chain-reader.js';
import { OrderClaims } from '../orders/open-order-claims.js';
import { startTestDatabase, type TestDatabase } from '../testing/offramp.spec-support.js';
import { RecordPage } from './record-page.js';
import { SCAN_EVERY_MS, ScanChains } from './scan-chains.js';
import { WatchedAddresses } from './watched-addresses.js';

const CELO = chainNamed('CELO') as EvmChain;
const log = createLogger('test', { level: 'silent' });
const OURS = '0x52908400098527886E0F7030069857D2E4169EE7';
const ORDERS = ['0x8617E340B3D01FA5F11F306F4090FD50E238070D', '0xde709f2102306220921060314715629080e2fb77'] as const;

describeWithAnvil(describe)('the scan of a real node', () => {
  let folder: string;
  let node: LocalChain;
  let hands: SandboxChain;
  let database: TestDatabase;
  let db: Database;
  let reader: ChainReader;
  let scanner: ScanChains;
  let aheadMs = 0;
  let orders = 5_000;
  const clock = { now: () => new Date(systemClock.now().getTime() + aheadMs) };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offramp-scan-'));
    database = await startTestDatabase();
    db = await database.connect();
    node = await startLocalChain({ folder: join(folder, 'CELO'), chainId: CELO.chainId, log });
    hands = await openEvmSandbox(CELO, node.url);
    await hands.install();
    await new AddressStore(db).insertUnlessPresent(1, 'evm', {
      address: OURS,
      index: 1,
      keyId: 'key',
      createdAt: clock.now(),
    });
    reader = await openReader({
      chain: CELO,
      endpoints: [node.url],
      agree: 1,
      log,
      metrics: new Metrics('offramp'),
      clock: systemClock,
    });
    scanner = new ScanChains(
      new ScanStore(db),
      new WatchedAddresses(db),
      new RecordPage(db, new OrderClaims(), new WakeSignal(), clock, log),
      new Map([['CELO', { chain: CELO, reader }]]),
      clock,
      log,
    );
    await rounds(async () => (await cursor()) !== null);
  }, 90_000);

  afterAll(async () => {
    hands.close();
    await reader.close();
    await node.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }, 30_000);

  /** An endpoint that is not ready yet is trouble, and trouble waits. */
  async function rounds(isThere: () => Promise<boolean>): Promise<void> {
    await until(
      async () => {
        aheadMs += SCAN_EVERY_MS;
        await scanner.tick();
        await scanner.drain();
        return isThere();
      },
      { withinMs: 20_000, what: 'the scan has come to that' },
    );
  }

  const cursor = async (): Promise<string | null> =>
    (await db.query<{ cursor: string | null }>(`select cursor from scan_cursors where chain = 'CELO'`))[0]?.cursor ??
    null;

  async function order(address: string): Promise<void> {
    const now = clock.now().getTime();
    await db.query(
      `insert into order_watches (order_number, partner_id, chain, asset, currency, amount_minor, rate, due_minor, family, address, created_at, expires_at, watch_until, correlation_id, causation_id)
       values ($1, 1, 'CELO', 'USDC', 'KES', 1, '1', 1, 'evm', $2, $3, $4, $5, 'c', 'c')`,
      [(orders += 1), address, new Date(now), new Date(now + 420_000), new Date(now + 420_000 + 24 * 3_600_000)],
    );
  }

  async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const answer = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async function send(asset: string, amount: string, mine = true, to = OURS): Promise<string> {
    const sent = await hands.transfer({ asset, amount, to, mine });
    if (!sent.ok) throw new Error('nothing was sent');
    return sent.value.hash;
  }

  const kept = (): Promise<object[]> =>
    db.query(
      'select transaction_hash as hash, address, symbol, amount_minor::text as amount, reverted_at is not null as gone from incoming_transfers order by block_number, ordinal',
    );

  it('keeps what came, whoever claims it and whatever it calls itself', async () => {
    const lookalike = CELO.lookalikes[0]?.address ?? '';
    const [usdc, fake] = [await send('USDC', '12.5'), await send(lookalike, '7')];
    await rounds(async () => (await kept()).length === 2);
    expect(await kept()).toEqual([
      { hash: usdc, address: OURS, symbol: 'USDC', amount: '12500000', gone: false },
      expect.objectContaining({ hash: fake, address: OURS, symbol: null, gone: false }),
    ]);
    const before = await cursor();
    await hands.mine(3);
    await rounds(async () => (await cursor()) !== before);
    expect(await kept()).toHaveLength(2);
  }, 60_000);

  it('takes back what a reorganisation took, and goes on on the branch that stays', async () => {
    await db.query('truncate incoming_transfers');
    const lost = await send('USDC', '1', false);
    await hands.mine(1);
    await rounds(async () => (await kept()).length > 0);
    expect(await kept()).toEqual([expect.objectContaining({ hash: lost, gone: false })]);
    await hands.reorg(3);
    const stays = await send('USDC', '2', false);
    await hands.mine(2);
    await rounds(async () => (await kept()).length === 2);
    expect(await kept()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ hash: lost, gone: true }),
        expect.objectContaining({ hash: stays, gone: false, amount: '2000000' }),
      ]),
    );
  }, 60_000);

  it('finds what came while nobody looked, once, also to an order that was made meanwhile, with its claim', async () => {
    await db.query('truncate incoming_transfers, claims, deposits, order_watches');
    await order(ORDERS[0]);
    await rounds(async () => (await db.query('select 1 from scan_cursors where scanned_to is not null')).length > 0);
    const sent: string[] = [];
    for (let block = 0; block < 100; block += 20) {
      await hands.mine(20);
      sent.push(await send('USDC', String(block + 1), true, block % 40 === 0 ? ORDERS[0] : OURS));
    }
    await order(ORDERS[1]);
    sent.push(await send('USDC', '200', true, ORDERS[1]));
    await rounds(async () => (await kept()).length >= sent.length);
    await hands.mine(1);
    const before = await cursor();
    await rounds(async () => (await cursor()) !== before);
    expect((await kept()).map((one) => (one as { hash: string }).hash)).toEqual(sent);
    const opened = await db.query<{ hash: string }>(
      'select transaction_hash as hash from claims order by transaction_id',
    );
    expect(opened.map(({ hash }) => hash).sort()).toEqual([sent[0], sent[2], sent[4], sent[5]].sort());
    const [scanned] = await db.query<{ at: Date; number: string }>(
      `select scanned_to as at, split_part(cursor, ' ', 1) as number from scan_cursors where chain = 'CELO'`,
    );
    const block = (await rpc('eth_getBlockByNumber', [`0x${Number(scanned!.number).toString(16)}`, false])) as {
      timestamp: string;
    };
    expect(scanned!.at.getTime()).toBe(Number(block.timestamp) * 1_000);
  }, 60_000);

  it('has a deposit of an order once that a reorganisation put into another block', async () => {
    await db.query('truncate incoming_transfers, claims, deposits, order_watches');
    await order(ORDERS[0]);
    // The node has this key, so the transfer can be put into another block.
    const [, payer = ''] = (await rpc('eth_accounts', [])) as string[];
    await send('USDC', '5', true, payer);
    const data = `0xa9059cbb${ORDERS[0].slice(2).toLowerCase().padStart(64, '0')}${(3_000_000).toString(16).padStart(64, '0')}`;
    const hash = await rpc('eth_sendTransaction', [
      { from: payer, to: acceptedTokens(CELO).find(({ symbol }) => symbol === 'USDC')?.address, data },
    ]);
    await hands.mine(2);
    await rounds(async () => (await kept()).length > 0);
    const [first] = await db.query<{ block: string; number: number }>(
      'select block_hash as block, block_number::integer as number from incoming_transfers',
    );
    const raw = await rpc('eth_getRawTransactionByHash', [hash]);
    // A block between these two questions would make the reorganisation too short.
    await rpc('evm_setIntervalMining', [0]);
    const depth = Number(await rpc('eth_blockNumber', [])) - first!.number + 1;
    await rpc('anvil_reorg', [depth, [[raw, 1]]]);
    await hands.mine(2);
    await rounds(async () =>
      (
        await db.query<{ block: string; gone: boolean }>(
          'select block_hash as block, reverted_at is not null as gone from incoming_transfers',
        )
      ).every(({ block, gone }) => block !== first!.block && !gone),
    );
    expect(await kept()).toEqual([
      expect.objectContaining({ hash, address: ORDERS[0], amount: '3000000', gone: false }),
    ]);
    expect(await db.query('select transaction_hash as hash, state from claims')).toEqual([{ hash, state: 'open' }]);
  }, 60_000);
});
