import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openEvmSandbox, type SandboxChain, type SandboxTransfer } from '@vuka/chains';
import { EVM_CHAINS, type EvmChain } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import type { Database } from '@vuka/persistence';
import { createLogger, systemClock } from '@vuka/runtime';
import type { OpenedService } from '@vuka/service-host';
import { until } from '@vuka/testing';

import type { OfframpRoot } from '../offramp.root.js';
import {
  awaitingDeposit,
  type ClaimFacts,
  HandJobs,
  HandEventBus,
  openOfframp,
  settingsOf,
  startTestDatabase,
  type TestDatabase,
} from './offramp.spec-support.js';

/** Real nodes: one chain of six decimals, one of eighteen. */
const quiet = createLogger('test', { level: 'silent' });
const WITHIN = { withinMs: 30_000, what: 'it comes to that' };
const CHAINS = EVM_CHAINS.filter(({ name }) => name === 'CELO' || name === 'BNB');

interface Node {
  readonly chain: EvmChain;
  readonly server: LocalChain;
  readonly hands: SandboxChain;
}

describeWithAnvil(describe)('on real nodes', () => {
  let folder: string;
  let nodes: Record<string, Node>;
  let database: TestDatabase;
  let db: Database;
  let eventBus: HandEventBus;
  let offramp: OpenedService<OfframpRoot>;
  let address: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offramp-chains-'));
    database = await startTestDatabase();
    db = await database.connect();
    const started = await Promise.all(
      CHAINS.map(async (chain): Promise<Node> => {
        const server = await startLocalChain({ folder: join(folder, chain.name), chainId: chain.chainId, log: quiet });
        const hands = await openEvmSandbox(chain, server.url);
        await hands.install();
        return { chain, server, hands };
      }),
    );
    nodes = Object.fromEntries(started.map((node) => [node.chain.name, node]));
  }, 90_000);

  afterAll(async () => {
    for (const { hands, server } of Object.values(nodes)) {
      hands.close();
      await server.stop();
    }
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }, 30_000);

  beforeEach(async () => {
    eventBus = new HandEventBus();
    const endpoints = Object.fromEntries(Object.values(nodes).map(({ chain, server }) => [chain.name, [server.url]]));
    offramp = await openOfframp({
      settings: settingsOf(endpoints),
      database: database.config,
      eventBus: eventBus,
      jobs: new HandJobs(),
    });
    await offramp.start();
    const listed = await offramp.handlers.listNetworks({ partner_id: 1 }, {} as never);
    if (!listed.ok) throw new Error('no networks');
    address = listed.value.networks.find(({ name }) => name === 'CELO')?.settlement_wallet_address ?? '';
  }, 30_000);

  afterEach(async () => {
    await offramp.stop();
    await db.query('truncate claims, deposits, inbox, outbox, quotes, dead_letters, order_watches');
  });

  const hands = (chain = 'CELO'): SandboxChain => nodes[chain]?.hands ?? never();
  async function send(transfer: Omit<SandboxTransfer, 'to'>, chain = 'CELO'): Promise<string> {
    const sent = await hands(chain).transfer({ to: address, ...transfer });
    return sent.ok ? sent.value.hash : never();
  }
  const claim = (transactionId: number, facts: Partial<ClaimFacts>): Promise<void> =>
    eventBus.deliver(awaitingDeposit({ transactionId, acceptedAt: systemClock.now(), ...facts }));
  const state = async (id: number): Promise<string> => {
    const [row] = await db.query<{ state: string; reason: string | null }>(
      'select state, reason from claims where transaction_id = $1',
      [id],
    );
    return [row?.state, row?.reason].filter(Boolean).join(' ');
  };
  const becomes = (id: number, expected: string): Promise<unknown> =>
    until(async () => (await state(id)) === expected, { ...WITHIN, what: `claim ${id} is ${expected}` });

  it('a transfer that is final pays, in six decimals and in eighteen', async () => {
    for (const [index, chain] of ['CELO', 'BNB'].entries()) {
      await claim(index + 1, { chain, transaction_hash: await send({ asset: 'USDC', amount: '12.5' }, chain) });
      await becomes(index + 1, 'verified');
    }
    expect(
      await db.query('select asset, received_minor::text as received, state, address from deposits order by asset'),
    ).toEqual([
      { asset: 'USDC@BNB', received: '12500000000000000000', state: 'consumed', address },
      { asset: 'USDC@CELO', received: '12500000', state: 'consumed', address },
    ]);
  }, 60_000);

  it('a transfer is seen first and verified when it is final; a hash that comes before its transfer is waited for', async () => {
    const hash = await send({ asset: 'USDC', amount: '12.5', mine: false });
    await claim(1, { transaction_hash: hash });
    await becomes(1, 'seen');
    await hands().mine(20);
    await becomes(1, 'verified');
  }, 60_000);

  it('a transfer that a reorganisation took away is looked for on', async () => {
    const hash = await send({ asset: 'USDC', amount: '12.5', mine: false });
    await claim(1, { transaction_hash: hash });
    await becomes(1, 'seen');
    await hands().reorg(3);
    await hands().mine(20);
    const [before] = await db.query<{ fence: number }>('select fence from claims');
    await until(
      async () =>
        ((await db.query<{ fence: number }>('select fence from claims'))[0]?.fence ?? 0) > (before?.fence ?? 0) + 1,
      WITHIN,
    );
    expect(await state(1)).toBe('seen');
    expect(await db.query('select 1 from deposits')).toEqual([]);
  }, 60_000);

  it('less than the amount, another token and a token that only looks like one are each told apart', async () => {
    await claim(1, { transaction_hash: await send({ asset: 'USDC', amount: '1' }) });
    await claim(2, { transaction_hash: await send({ asset: 'USDT', amount: '12.5' }), asset: 'USDC' });
    const lookalike = nodes['CELO']?.chain.lookalikes[0]?.address ?? never();
    await claim(3, { transaction_hash: await send({ asset: lookalike, amount: '12.5' }) });
    await becomes(1, 'unapplied underpaid');
    await becomes(2, 'unapplied wrong_asset');
    await becomes(3, 'unusable no_matching_transfer');
  }, 60_000);

  it("another partner's claim of the same transfer comes to nothing", async () => {
    const transaction_hash = await send({ asset: 'USDC', amount: '12.5' });
    await claim(1, { partner_id: 2, transaction_hash });
    await claim(2, { transaction_hash });
    await becomes(2, 'verified');
    await becomes(1, 'unusable no_matching_transfer');
  }, 60_000);

  it("what comes to an order's address is found, seen and confirmed without anybody naming it, on its own chain and on another", async () => {
    const order = {
      order_number: 5_000_000_000_000_001,
      partner_id: 1,
      currency: 'KES',
      amount_minor: '129350',
      chain: 'CELO',
      asset: 'USDC',
      lives_s: 420,
      most_usd_cents: '100000000',
    };
    // A scan starts at the chain's head; an order waits only for its own chain.
    await until(
      async () =>
        (await db.query("select 1 from scan_cursors where chain in ('CELO', 'BNB') and cursor is not null")).length ===
        2,
      WITHIN,
    );
    const given = await offramp.handlers.reserveOrder(order, { requestId: 'r', traceparent: 't', deadline: Infinity });
    const to = given.ok ? given.value.address : never();
    expect(to).not.toBe(address);
    const told = async (): Promise<string[]> =>
      (
        await db.query<{ what: string }>(
          `select (envelope::jsonb ->> 'type') || ' ' || coalesce(envelope::jsonb -> 'data' ->> 'chain', envelope::jsonb -> 'data' -> 'deposits' -> 0 ->> 'chain') as what from outbox order by xid, id`,
        )
      ).map(({ what }) => what);
    const tells = (what: string): Promise<unknown> =>
      until(async () => (await told()).includes(what), { ...WITHIN, what });
    const sent = await hands().transfer({ to, asset: 'USDC', amount: '4', mine: false });
    await tells('order-deposit.seen CELO');
    await hands().mine(20);
    await tells('order-deposit.confirmed CELO');
    const wrong = await hands('BNB').transfer({ to, asset: 'USDC', amount: '6' });
    await tells('order-deposit.confirmed BNB');
    const hashes = [sent, wrong].map((one) => (one.ok ? one.value.hash : never()));
    expect(
      await db.query(
        'select asset, received_minor::text as received, state, used_minor::text as used, address from deposits where transaction_hash = any ($1::text[]) order by asset',
        [hashes],
      ),
    ).toEqual([
      { asset: 'USDC@BNB', received: '6000000000000000000', state: 'consumed', used: '0', address: to },
      { asset: 'USDC@CELO', received: '4000000', state: 'consumed', used: '0', address: to },
    ]);
  }, 90_000);
});

function never(): never {
  throw new Error('there is none');
}
