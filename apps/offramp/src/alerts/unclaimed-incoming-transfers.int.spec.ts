import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { IncomingTransferStore, UNCLAIMED_AFTER_MS } from '../incoming-transfers/incoming-transfer.store.js';
import { ScanStore } from '../incoming-transfers/scan.store.js';
import { SCAN_EVERY_MS } from '../scans/scan-chains.js';
import { incomingTransfer, NOW, OURS, page, PYUSD, ScanFixture, USDC } from '../scans/scan-fixture.spec-support.js';
import { hashOf } from '../testing/offramp.spec-support.js';
import { WatchIncomingTransfers } from './watch-incoming-transfers.js';

const fixture = new ScanFixture();
const { give, scanner, round, kept, codes } = fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

describe('what nobody claims', () => {
  const store = () => new IncomingTransferStore(fixture.db);
  const watch = () =>
    new WatchIncomingTransfers(store(), new ScanStore(fixture.db), new Set(['CELO']), fixture.clock, fixture.log);

  async function claim(id: number, hash: string, state: 'open' | 'verified'): Promise<void> {
    await fixture.db.query(
      `insert into claims (transaction_id, partner_id, chain, transaction_hash, currency, amount_minor, accepted_at, deadline, state, next_check_at, judged_at, correlation_id, causation_id, created_at)
       values ($1, 1, 'CELO', $2, 'KES', 1, $3, $3, $4::text, case when $4 = 'open' then $3::timestamptz end, case when $4 <> 'open' then $3::timestamptz end, 'c', 'c', $3)`,
      [id, hash, NOW, state],
    );
  }

  async function deposit(claimId: number, hash: string): Promise<void> {
    await fixture.db.query(
      `insert into deposits (chain, transaction_hash, address, asset, token, decimals, received_minor, partner_id, claim_id, state, screening_hit, rate, block_number, block_hash, block_time, rule_version, evidence, created_at)
       values ('CELO', $1, $2, 'USDC@CELO', $3, 6, 1, 1, $4, 'consumed', false, '1', 1, 'b', $5, 1, '{}', $5)`,
      [hash, OURS[0], USDC, claimId, NOW],
    );
  }

  beforeEach(async () => {
    await give(2, OURS[1]);
    fixture.reader.pages.set('', page('10', []));
    fixture.reader.pages.set('10', page('20', [
      incomingTransfer({ n: 11 }), incomingTransfer({ n: 12 }), incomingTransfer({ n: 13, address: OURS[1] }), incomingTransfer({ n: 14, token: PYUSD }), incomingTransfer({ n: 15, address: OURS[2] }),
    ], true)); // prettier-ignore
    await round(scanner());
    await round(scanner());
    await claim(1, hashOf(11), 'verified');
    await deposit(1, hashOf(11));
    await claim(2, hashOf(12), 'open');
  });

  it('is listed with its owner, also for unknown tokens and owners, but not while it waits for its verdict', async () => {
    const listed = await store().unclaimed(fixture.clock.now(), 10);
    expect(listed.map(({ transactionHash, partnerId, symbol }) => [transactionHash, partnerId, symbol])).toEqual([
      [hashOf(13), 2, 'USDC'],
      [hashOf(14), 1, null],
      [hashOf(15), null, 'USDC'],
    ]);
    expect(await store().unclaimedByChain(fixture.clock.now())).toEqual([{ chain: 'CELO', count: 3, oldestAt: NOW }]);
    expect(await store().unclaimed(new Date(NOW.getTime() - 1), 10)).toEqual([]);
  });

  it('raises one alarm after half an hour, separately for tokens that are not listed', async () => {
    fixture.clock.advance(UNCLAIMED_AFTER_MS - 1);
    await watch().run();
    expect(codes()).toEqual([]);
    fixture.clock.advance(1);
    await watch().run();
    await watch().run();
    expect(fixture.lines.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({
        code: 'incoming_transfers_unclaimed',
        chain: 'CELO',
        incoming_transfers: 2,
        minutes: 30,
      }),
    ]);
  });

  it('is listed separately, without an alarm, if it is worth less than a cent; larger value stays visible', async () => {
    fixture.reader.pages.set(
      '20',
      page(
        '30',
        [
          ...Array.from({ length: 20 }, (_, n) => incomingTransfer({ n: 100 + n, value: 9_999n })),
          incomingTransfer({ n: 200, value: 10_000n }),
        ],
        true,
      ),
    );
    fixture.clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    fixture.clock.advance(UNCLAIMED_AFTER_MS);
    const listed = (await store().unclaimed(fixture.clock.now(), 10)).map(({ transactionHash }) => transactionHash);
    expect(listed).toEqual([hashOf(13), hashOf(14), hashOf(15), hashOf(200)]);
    expect(
      (await store().unclaimed(fixture.clock.now(), 100, { dust: true })).map(({ amountMinor }) => amountMinor),
    ).toEqual(Array.from({ length: 20 }, () => '9999'));
    expect(await store().unclaimedByChain(fixture.clock.now())).toMatchObject([{ chain: 'CELO', count: 4 }]);
    expect(await kept()).toHaveLength(26);
    await watch().run();
    expect(fixture.lines.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({ code: 'incoming_transfers_unclaimed', incoming_transfers: 3 }),
    ]);
  });

  it('raises no alarm once it is a deposit, or while its block is gone', async () => {
    await watch().run();
    expect(
      await fixture.db.query('select transaction_hash as hash from incoming_transfers where claimed_at is not null'),
    ).toEqual([{ hash: hashOf(11) }]);
    fixture.reader.pages.set('20', { kind: 'reorganised', back: '12', aboveBlock: 12, scannedTo: NOW.getTime() });
    fixture.clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    expect(await store().unclaimed(fixture.clock.now(), 10)).toEqual([]);
  });

  it('raises an alarm for a chain that is not scanned', async () => {
    fixture.reader.pages.set('20', { kind: 'trouble', reason: 'two endpoints disagree' });
    fixture.clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    fixture.clock.advance(15 * 60_000);
    await watch().run();
    expect(fixture.lines.filter(({ code }) => code === 'chain_not_scanned')).toMatchObject([
      { chain: 'CELO', minutes: 15, trouble: 'two endpoints disagree' },
    ]);
  });
});
