import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ArrivalStore, UNCLAIMED_AFTER_MS } from '../arrivals/arrival.store.js';
import { ScanStore } from '../arrivals/scan.store.js';
import { SCAN_EVERY_MS } from '../scans/scan-chains.js';
import { arrival, NOW, OURS, page, PYUSD, ScanScene, USDC } from '../scans/scan-scene.spec-support.js';
import { hashOf } from '../testing/offramp.spec-support.js';
import { WatchArrivals } from './watch-arrivals.js';

const scene = new ScanScene();
const { give, scanner, round, kept, codes } = scene;

beforeAll(() => scene.open(), 60_000);
afterAll(() => scene.close());
beforeEach(() => scene.reset());

describe('what nobody claims', () => {
  const store = () => new ArrivalStore(scene.db);
  const watch = () => new WatchArrivals(store(), new ScanStore(scene.db), new Set(['CELO']), scene.clock, scene.log);

  async function claim(id: number, hash: string, state: 'open' | 'verified'): Promise<void> {
    await scene.db.query(
      `insert into claims (transaction_id, partner_id, chain, transaction_hash, currency, amount_minor, accepted_at, deadline, state, next_look_at, judged_at, correlation_id, causation_id, created_at)
       values ($1, 1, 'CELO', $2, 'KES', 1, $3, $3, $4::text, case when $4 = 'open' then $3::timestamptz end, case when $4 <> 'open' then $3::timestamptz end, 'c', 'c', $3)`,
      [id, hash, NOW, state],
    );
  }

  async function deposit(claimId: number, hash: string): Promise<void> {
    await scene.db.query(
      `insert into deposits (chain, transaction_hash, address, asset, token, decimals, received_minor, partner_id, claim_id, state, screening_hit, rate, block_number, block_hash, block_time, rule_version, evidence, created_at)
       values ('CELO', $1, $2, 'USDC@CELO', $3, 6, 1, 1, $4, 'consumed', false, '1', 1, 'b', $5, 1, '{}', $5)`,
      [hash, OURS[0], USDC, claimId, NOW],
    );
  }

  beforeEach(async () => {
    await give(2, OURS[1]);
    scene.reader.pages.set('', page('10', []));
    scene.reader.pages.set('10', page('20', [
      arrival({ n: 11 }), arrival({ n: 12 }), arrival({ n: 13, address: OURS[1] }), arrival({ n: 14, token: PYUSD }), arrival({ n: 15, address: OURS[2] }),
    ], true)); // prettier-ignore
    await round(scanner());
    await round(scanner());
    await claim(1, hashOf(11), 'verified');
    await deposit(1, hashOf(11));
    await claim(2, hashOf(12), 'open');
  });

  it('is listed with whose it is, also where it is no accepted token or nobody’s; what waits for its verdict is not', async () => {
    const listed = await store().unclaimed(scene.clock.now(), 10);
    expect(listed.map(({ transactionHash, partnerId, symbol }) => [transactionHash, partnerId, symbol])).toEqual([
      [hashOf(13), 2, 'USDC'],
      [hashOf(14), 1, null],
      [hashOf(15), null, 'USDC'],
    ]);
    expect(await store().unclaimedByChain(scene.clock.now())).toEqual([{ chain: 'CELO', count: 3, oldestAt: NOW }]);
    expect(await store().unclaimed(new Date(NOW.getTime() - 1), 10)).toEqual([]);
  });

  it('is told of once when it has been there for half an hour, tokens that are not listed apart', async () => {
    scene.clock.advance(UNCLAIMED_AFTER_MS - 1);
    await watch().run();
    expect(codes()).toEqual([]);
    scene.clock.advance(1);
    await watch().run();
    await watch().run();
    expect(scene.lines.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({ code: 'arrivals_unclaimed', chain: 'CELO', arrivals: 2, minutes: 30 }),
    ]);
  });

  it('is listed apart, and told of by nobody, where it is worth less than a cent; what is worth more is not buried by it', async () => {
    scene.reader.pages.set(
      '20',
      page(
        '30',
        [
          ...Array.from({ length: 20 }, (_, n) => arrival({ n: 100 + n, value: 9_999n })),
          arrival({ n: 200, value: 10_000n }),
        ],
        true,
      ),
    );
    scene.clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    scene.clock.advance(UNCLAIMED_AFTER_MS);
    const listed = (await store().unclaimed(scene.clock.now(), 10)).map(({ transactionHash }) => transactionHash);
    expect(listed).toEqual([hashOf(13), hashOf(14), hashOf(15), hashOf(200)]);
    expect(
      (await store().unclaimed(scene.clock.now(), 100, { dust: true })).map(({ amountMinor }) => amountMinor),
    ).toEqual(Array.from({ length: 20 }, () => '9999'));
    expect(await store().unclaimedByChain(scene.clock.now())).toMatchObject([{ chain: 'CELO', count: 4 }]);
    expect(await kept()).toHaveLength(26);
    await watch().run();
    expect(scene.lines.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({ code: 'arrivals_unclaimed', arrivals: 3 }),
    ]);
  });

  it('is nobody’s concern once it has become a deposit, nor while its block is gone', async () => {
    await watch().run();
    expect(await scene.db.query('select transaction_hash as hash from arrivals where claimed_at is not null')).toEqual([
      { hash: hashOf(11) },
    ]);
    scene.reader.pages.set('20', { kind: 'reorganised', back: '12', aboveBlock: 12, scannedTo: NOW.getTime() });
    scene.clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    expect(await store().unclaimed(scene.clock.now(), 10)).toEqual([]);
  });

  it('and a chain that is not looked through is told of', async () => {
    scene.reader.pages.set('20', { kind: 'trouble', reason: 'two endpoints disagree' });
    scene.clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    scene.clock.advance(15 * 60_000);
    await watch().run();
    expect(scene.lines.filter(({ code }) => code === 'chain_not_scanned')).toMatchObject([
      { chain: 'CELO', minutes: 15, trouble: 'two endpoints disagree' },
    ]);
  });
});
