import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currencyDecimals, fullCoverage, WALLET_CURRENCIES } from '@vuka/domain';
import { systemClock, WakeSignal } from '@vuka/runtime';

import { CommitWriter } from '../commit/commit-writer.js';
import { silent, startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { Wallets } from './wallets.js';

const FIRST = { id: 'sandbox' };
const SECOND = { id: 'sandbox_b' };
/** In no route. */
const OTHER = { id: 'other' };
const COVERAGE = fullCoverage([FIRST.id, SECOND.id]);
/** A thousand whole units of each. */
const openings = WALLET_CURRENCIES.map((currency) => ({
  currency,
  amount_minor: String(1_000n * 10n ** BigInt(currencyDecimals(currency))),
}));

/** Per partner and provider: one for its wallet, 1,000 for deposits. */
const FLOAT = 1_001n;

let pg: PaymentsDatabase;
let writer: CommitWriter;
let partner = 0;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  writer = new CommitWriter(pg.db, systemClock, silent, new WakeSignal());
}, 60_000);

beforeEach(() => {
  partner += 1;
});

afterAll(async () => {
  await writer.drain();
  await pg.stopWhole();
});

const open = (...providers: readonly { readonly id: string }[]): ReturnType<Wallets['openInSandbox']> =>
  new Wallets(pg.db, writer, { env: 'sandbox' }, providers, COVERAGE).openInSandbox({ partner_id: partner, openings });

/** By currency. */
async function floatOf(provider: string): Promise<Record<string, string>> {
  const rows = await pg.db.query<{ asset: string; minor: string }>(
    `select a.asset, sum(e.amount_minor)::text as minor from entries e join accounts a on a.id = e.from_account where a.name like $1 group by a.asset`,
    [`rail:${provider}:%`],
  );
  return Object.fromEntries(rows.map(({ asset, minor }) => [asset, minor]));
}

const times = (count: bigint): Record<string, string> =>
  Object.fromEntries(openings.map(({ currency, amount_minor }) => [currency, String(BigInt(amount_minor) * count)]));

describe('the wallets of the sandbox', () => {
  it('open in every currency, each with float at every provider that pays', async () => {
    expect(await open(FIRST, SECOND, OTHER)).toEqual({ ok: true, value: { opened: openings.length } });
    expect([await floatOf('sandbox'), await floatOf('sandbox_b'), await floatOf('other')]).toEqual([
      times(FLOAT),
      times(FLOAT),
      {},
    ]);
    const listed = await new Wallets(pg.db, writer, { env: 'sandbox' }, [], COVERAGE).list(partner);
    expect(listed).toMatchObject({
      ok: true,
      value: { wallets: openings.map(({ currency, amount_minor }) => ({ currency, balance_minor: amount_minor })) },
    });
  });

  it('of an earlier build get what its second provider did not pay yet, and nothing twice', async () => {
    expect(await open(FIRST)).toEqual({ ok: true, value: { opened: openings.length } });
    expect([await floatOf('sandbox'), await floatOf('sandbox_b')]).toEqual([times(2n * FLOAT), times(FLOAT)]);
    for (let start = 0; start < 2; start += 1)
      expect(await open(FIRST, SECOND)).toEqual({ ok: true, value: { opened: 0 } });
    expect([await floatOf('sandbox'), await floatOf('sandbox_b')]).toEqual([times(2n * FLOAT), times(2n * FLOAT)]);
  });
});
