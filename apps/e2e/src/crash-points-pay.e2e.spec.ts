import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  destinationIn,
  drawn,
  eachOf,
  ledgerCheck,
  FIXTURE_WITHIN_MS,
  sendOpenOnesAgain,
  type ApiClient,
} from '@vuka/testing';

import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';
import { armed, diesAt, UNARMED, type DeathWish } from './crash-points.spec-support.js';

/** Longer than a start. The node may lose the transfers of its last second; their claims then end. */
const SEARCH_MS = 30_000;
const CLAIMS = 24;
const AT_ONCE = 8;

/** A surplus, too little, the wrong token, and a payout that fails or is reversed. */
const KINDS = [
  { chain: 'CELO', asset: 'USDC', amount: '8', number: '7890' },
  { chain: 'BNB', asset: 'USDT', amount: '7.900000000000000001', number: '7890' },
  { chain: 'CELO', asset: 'USDC', amount: '7', number: '7890' },
  { chain: 'CELO', asset: 'USDT', amount: '8', number: '7890', named: 'USDC' },
  { chain: 'BNB', asset: 'USDC', amount: '8.5', number: '0000' },
  { chain: 'CELO', asset: 'CUSD', amount: '7.81', number: '0005' },
] as const;

/**
 * Before and after each commit that accepts a deposit; a draw takes one of each pair. crash-points covers the steps
 * between services.
 */
const WISHES: readonly DeathWish[] = [
  ...drawn(
    'crash-points-pay commits',
    [
      { point: 'payments.before-commit', times: 30 },
      { point: 'payments.after-commit', times: 30 },
    ] as const,
    1,
  ),
  ...drawn(
    'crash-points-pay verdicts',
    [
      { point: 'offramp.before-verdict', times: 10 },
      { point: 'offramp.after-verdict', times: 10 },
    ] as const,
    1,
  ),
];

let fixture: PayFixture;
let addresses: ReadonlyMap<ApiClient, string>;

beforeAll(async () => {
  fixture = await openPayFixture({
    asksOnce: true,
    chains: ['CELO', 'BNB'],
    env: { VUKA_TEST_SEARCH_MS: String(SEARCH_MS), UNAPPLIED_POLICY: 'wallet', ...(WISHES[0] && armed(WISHES[0])) },
  });
  addresses = new Map(
    await Promise.all(fixture.clients.map(async (client) => [client, await client.settlementAddress('CELO')] as const)),
  );
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

async function load(name: string): Promise<void> {
  const deposits = await eachOf(Array.from({ length: CLAIMS }), AT_ONCE, async (_, index) => {
    const kind = KINDS[index % KINDS.length] ?? KINDS[0];
    const client = fixture.clients[index % 2] as ApiClient;
    const hash = await fixture
      .chain(kind.chain)
      .transfer({ asset: kind.asset, amount: kind.amount, to: addresses.get(client) ?? '', mine: false });
    return { kind, client, hash };
  });
  await Promise.all(['CELO', 'BNB'].map((chain) => fixture.chain(chain).mineToFinality()));
  await eachOf(deposits, AT_ONCE, async ({ kind, client, hash }, index) => {
    const { chain, number } = kind;
    const body = {
      ...destinationIn('KES', 'mobile', number),
      amount: 1000,
      fee: 10,
      chain,
      transaction_hash: hash,
      reference: `${name}-${index}`,
      callback_url: fixture.receiver.url(),
      ...('named' in kind && { asset: kind.named }),
    };
    await client
      .pay('KES', body, index % 3 === 0 ? { 'idempotency-key': `${name}-${index}` } : {})
      .catch(() => undefined);
  });
}

describe('the process dies while deposits come in, again and again', () => {
  it.each(WISHES)(
    'at $point',
    async (wish) => {
      await diesAt(fixture.vuka, wish, () =>
        Promise.all([sendOpenOnesAgain(fixture.clients).catch(() => undefined), load(wish.point)]),
      );
    },
    240_000,
  );
});

describe('in the end', () => {
  it('each deposit is in one place, used or credited once, to the cent; the ledger is sound', async () => {
    await fixture.vuka.restart(UNARMED);
    await sendOpenOnesAgain(fixture.clients);
    const { transactions, incomingTransfers } = await fixture.checker.expectSound({ unapplied: 'wallet' });
    expect(transactions).toBeGreaterThan(WISHES.length * (CLAIMS / 2));
    expect(incomingTransfers).toBeGreaterThanOrEqual(transactions);
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 240_000);
});
