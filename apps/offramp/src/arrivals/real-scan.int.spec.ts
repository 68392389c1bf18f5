import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEvmSandbox, openReader, type SandboxChain } from '@vuka/chains';
import { chainNamed, type EvmChain } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import { Database } from '@vuka/persistence';
import { createLogger, Metrics, systemClock, WakeSignal } from '@vuka/platform';
import { until } from '@vuka/testing';

import { startTestDatabase, type TestDatabase } from '../offramp.spec-support.js';
import { OrderClaims } from '../orders/open-order-claims.js';
import type { ChainReader } from '../served-chains.js';
import { AddressStore } from '../store/address.store.js';
import { OFFRAMP_MIGRATIONS } from '../store/migrations.js';
import { ScanStore } from '../store/scan.store.js';
import { RecordPage } from './record-page.js';
import { SCAN_EVERY_MS, ScanChains } from './scan-chains.js';
import { WatchedAddresses } from './watched-addresses.js';

const CELO = chainNamed('CELO') as EvmChain;
const log = createLogger('test', { level: 'silent' });
const OURS = '0x52908400098527886E0F7030069857D2E4169EE7';

describeWithAnvil(describe)('the scan of a real node', () => {
  let folder: string;
  let node: LocalChain;
  let hands: SandboxChain;
  let database: TestDatabase;
  let db: Database;
  let reader: ChainReader;
  let scanner: ScanChains;
  let aheadMs = 0;
  const clock = { now: () => new Date(systemClock.now().getTime() + aheadMs) };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offramp-scan-'));
    database = await startTestDatabase();
    db = await Database.connect({ ...database.config, migrations: OFFRAMP_MIGRATIONS });
    await db.migrate();
    node = await startLocalChain({ folder: join(folder, 'CELO'), chainId: CELO.chainId, log });
    hands = await openEvmSandbox(CELO, node.url);
    await hands.install();
    await new AddressStore(db).insertUnlessPresent(1, 'evm', { address: OURS, index: 1, keyId: 'key', createdAt: clock.now() });
    reader = await openReader({ chain: CELO, endpoints: [node.url], agree: 1, log, metrics: new Metrics('offramp'), clock: systemClock });
    scanner = new ScanChains({
      pages: new ScanStore(db), addresses: new WatchedAddresses(db), record: new RecordPage(db, OrderClaims, new WakeSignal(), clock, log), chains: new Map([['CELO', { chain: CELO, reader }]]),
      signal: new WakeSignal(), clock, log,
    });
    await rounds(async () => (await cursor()) !== null);
  }, 90_000);

  afterAll(async () => {
    hands.close();
    await reader.close();
    await node.stop();
    await db.close();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }, 30_000);

  /** Round after round until it has come to that: an endpoint that is not heard yet is trouble, and trouble waits. */
  async function rounds(isThere: () => Promise<boolean>): Promise<void> {
    await until(async () => {
      aheadMs += SCAN_EVERY_MS;
      await scanner.tick();
      await scanner.drain();
      return isThere();
    }, { withinMs: 20_000, what: 'the scan has come to that' });
  }

  const cursor = async (): Promise<string | null> => (await db.query<{ cursor: string | null }>(`select cursor from scan_cursors where chain = 'CELO'`))[0]?.cursor ?? null;

  async function send(asset: string, amount: string, mine = true): Promise<string> {
    const sent = await hands.transfer({ asset, amount, to: OURS, mine });
    if (!sent.ok) throw new Error('nothing was sent');
    return sent.value.hash;
  }

  const kept = (): Promise<object[]> => db.query(
    'select transaction_hash as hash, address, symbol, amount_minor::text as amount, reverted_at is not null as gone from arrivals order by block_number, ordinal',
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
    await db.query('truncate arrivals');
    const lost = await send('USDC', '1', false);
    await hands.mine(1);
    await rounds(async () => (await kept()).length > 0);
    expect(await kept()).toEqual([expect.objectContaining({ hash: lost, gone: false })]);
    await hands.reorg(3);
    const stays = await send('USDC', '2', false);
    await hands.mine(2);
    await rounds(async () => (await kept()).length === 2);
    expect(await kept()).toEqual(expect.arrayContaining([expect.objectContaining({ hash: lost, gone: true }), expect.objectContaining({ hash: stays, gone: false, amount: '2000000' })]));
  }, 60_000);
});
