import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money, fail, ok, type Result } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';

import type { SettlementAddress } from '../addresses/deposit-addresses.js';
import { startTestDatabase, type TestDatabase } from '../testing/offramp.spec-support.js';
import { CheckQuote } from './check-quote.js';
import { CreateQuote } from './create-quote.js';
import { QuoteStore } from './quote.store.js';
import { type ClaimForQuote, releaseQuote, type TakenQuote, takeQuote } from './take-quote.js';

const ADDRESS = '0x0000000000000000000000000000000000000001';
const INPUT = { partner_id: 1, currency: 'KES', amount_minor: '100000', chain: 'BNB', asset: 'USDC' };

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
let store: QuoteStore;
let rate: Result<string>;
let address: Result<SettlementAddress>;
let isOff: boolean;
let mostOpenCents: bigint;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
  store = new QuoteStore(db);
}, 60_000);
afterAll(() => database.stop());
beforeEach(() => {
  clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
  rate = ok('128.0565');
  isOff = false;
  mostOpenCents = 10n ** 12n;
  address = ok({ address: ADDRESS, memoAddress: '', memo: '' });
});

const give = (input: Partial<typeof INPUT> = {}) =>
  new CreateQuote(
    store,
    { buyingRate: () => rate },
    { addressOf: async () => address },
    { isOff: async () => isOff },
    clock,
    { rates: { mostOpenQuotesCents: mostOpenCents } },
  ).run({ ...INPUT, ...input });
const check = (quote_id: string, input: Partial<Omit<typeof INPUT, 'asset'>> & { asset?: string | null } = {}) =>
  new CheckQuote(store, clock).run({ ...INPUT, ...input, quote_id });

async function quoteId(): Promise<string> {
  const given = await give();
  if (!given.ok) throw new Error(given.error.message);
  return given.value.quote_id;
}

function take(id: string, claim: Partial<ClaimForQuote> = {}): Promise<TakenQuote> {
  const { currency, chain } = INPUT;
  return db.inTransaction((tx) =>
    takeQuote(tx, id, {
      claimId: 7,
      partnerId: 1,
      amount: money(100_000n, currency),
      chain,
      asset: null,
      acceptedAt: clock.now(),
      ...claim,
    }),
  );
}

describe('a quote', () => {
  it('is given for nothing that is switched off', async () => {
    isOff = true;
    expect(await give()).toEqual(
      fail({ code: 'service_unavailable', message: 'USDC is not taken on BNB at the moment' }),
    );
  });

  it('says what to send, rounded up in the decimals of the token, and where to', async () => {
    expect(await give()).toEqual({
      ok: true,
      value: {
        quote_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        rate: '128.0565',
        amount_minor: '100000',
        asset_amount: '7.809053035183688451',
        amount_in_usd: '7.81',
        settlement_wallet_address: ADDRESS,
        memo_address: '',
        memo: '',
        expires_in: 300,
        expires_at: '2026-11-21T10:05:00.000Z',
      },
    });
    expect(await give({ chain: 'CELO' })).toMatchObject({ value: { asset_amount: '7.809054' } });
  });

  it('has the account and the memo beside a muxed address', async () => {
    address = ok({ address: 'M…', memoAddress: 'G…', memo: '420' });
    expect(await give({ chain: 'STELLAR' })).toMatchObject({
      ok: true,
      value: { settlement_wallet_address: 'M…', memo_address: 'G…', memo: '420' },
    });
  });

  it.each<[string, () => Partial<typeof INPUT>, string]>([
    ['another token', () => ({ asset: 'EURC' }), 'unsupported_network'],
    ['another case', () => ({ asset: 'usdc' }), 'unsupported_network'],
    ['another chain', () => ({ chain: 'NOWHERE' }), 'unsupported_network'],
    [
      'a chain that is not served',
      () => ((address = fail({ code: 'service_unavailable', message: 'not served' })), {}),
      'service_unavailable',
    ],
    ['no fresh rate', () => ((rate = fail({ code: 'rate_stale', message: 'stale' })), {}), 'rate_stale'],
  ])('is not given for %s', async (_, change, code) => {
    expect(await give(change())).toMatchObject({ ok: false, error: { code } });
  });

  it('may be paid under by its partner, for what it was given for, until half an hour after it has expired', async () => {
    const id = await quoteId();
    clock.advance(35 * 60_000);
    for (const asset of ['USDC', null]) expect(await check(id, { asset })).toEqual({ ok: true, value: {} });
    for (const other of [{ currency: 'NGN' }, { amount_minor: '100001' }, { chain: 'CELO' }, { asset: 'USDT' }]) {
      expect(await check(id, other)).toMatchObject({ ok: false, error: { code: 'quote_mismatch' } });
    }
    for (const theirs of [check(id, { partner_id: 2 }), check('0199a000-0000-7000-8000-000000000000')])
      expect(await theirs).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });

  it('is for no pay that is accepted later than that, and says what else to do', async () => {
    const id = await quoteId();
    clock.advance(35 * 60_000 + 1);
    expect(await check(id)).toEqual(
      fail({
        code: 'quote_mismatch',
        message: expect.stringMatching(/^The quote expired over 30 minutes ago.* without quote_id/),
      }),
    );
    // Accepted late, by a clock that was behind: the quote is not applied and stays free.
    expect(await take(id, { claimId: 401 })).toEqual({ quote: null, quoteNotApplied: 'expired' });
    expect(await store.find(1, id)).toMatchObject({ takenBy: null });
    // A claim may arrive long after its pay was accepted.
    expect(await take(id, { claimId: 402, acceptedAt: new Date('2026-11-21T10:35:00.000Z') })).toMatchObject({
      quote: { id },
      quoteNotApplied: null,
    });
  });

  it('is taken by one claim of many at once, by that one again, and free when that claim is released', async () => {
    const id = await quoteId();
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        take(id, { claimId: index + 1 }).then((one) => [index + 1, one] as const),
      ),
    );
    const winners = taken.filter(([, { quote }]) => quote !== null);
    expect(winners).toHaveLength(1);
    expect(taken.filter(([, { quoteNotApplied }]) => quoteNotApplied === 'used')).toHaveLength(7);
    const [winner] = winners[0] as (typeof taken)[number];
    expect(await take(id, { claimId: winner })).toMatchObject({ quote: { rate: '128.0565' }, quoteNotApplied: null });
    expect(await check(id)).toMatchObject({ error: { code: 'quote_used' } });
    await db.inTransaction((tx) => releaseQuote(tx, winner));
    expect(await take(id, { claimId: 99 })).toMatchObject({ quote: { id }, quoteNotApplied: null });
  });

  it('is not taken by another partner nor for anything else, and is not used up by it', async () => {
    const id = await quoteId();
    expect(await take(id, { partnerId: 2, claimId: 201 })).toEqual({ quote: null, quoteNotApplied: 'unknown' });
    expect(await take(id, { amount: money(1n, 'KES'), claimId: 202 })).toEqual({
      quote: null,
      quoteNotApplied: 'unknown',
    });
    expect(await take(id, { claimId: 203 })).toMatchObject({ quoteNotApplied: null });
  });

  it('is forgotten where nobody used it', async () => {
    const [idle, used] = [await quoteId(), await quoteId()];
    await take(used, { claimId: 301 });
    await store.forgetIdle(new Date('2026-11-21T10:05:00.001Z'));
    expect([await store.find(1, idle), (await store.find(1, used))?.takenBy]).toEqual([undefined, 301]);
    const many = [await quoteId(), await quoteId(), await quoteId(), await quoteId(), await quoteId()];
    await store.forgetIdle(new Date('2026-11-21T10:05:00.001Z'), 2);
    expect(await Promise.all(many.map((id) => store.find(1, id)))).toEqual(many.map(() => undefined));
  });
});

describe('open quotes of a partner', () => {
  /** Each worth 7.81 dollars. */
  const within = (partner_id: number): Promise<string> =>
    give({ partner_id }).then((given) => (given.ok ? 'given' : given.error.code));

  async function claimOf(partnerId: number, claimId: number): Promise<void> {
    await db.query(
      `insert into claims (transaction_id, partner_id, chain, transaction_hash, currency, amount_minor, accepted_at, deadline, state, next_check_at, correlation_id, causation_id, created_at)
       values ($1::bigint, $2, 'BNB', $1::bigint::text, 'KES', 100000, $3, $3, 'open', $3, 'r', 't', $3)`,
      [claimId, partnerId, clock.now()],
    );
  }

  it("are worth no more together than a setting says: one more is a 429 with the time to try again, and another partner's is given", async () => {
    mostOpenCents = 2_343n;
    expect([await within(11), await within(11), await within(11), await within(11), await within(12)]).toEqual([
      'given',
      'given',
      'given',
      'rate_limited',
      'given',
    ]);
    expect(await give({ partner_id: 11 })).toEqual(
      fail({
        code: 'rate_limited',
        retryAfterS: 30,
        message:
          'Open quotes of this account would be worth more than 23 US dollars, so this request was not accepted. Send it again when some of them have been used or are over',
      }),
    );
    expect(await db.query('select count(*)::integer as count from quotes where partner_id = 11')).toEqual([
      { count: 3 },
    ]);
  });

  it('do not pass together, however many are asked for at once', async () => {
    mostOpenCents = 5n * 781n;
    const answers = await Promise.all(Array.from({ length: 24 }, () => within(13)));
    expect(answers.filter((answer) => answer === 'given')).toHaveLength(5);
    expect(new Set(answers)).toEqual(new Set(['given', 'rate_limited']));
  });

  it('are open until no pay can use them any more', async () => {
    mostOpenCents = 781n;
    expect(await within(14)).toBe('given');
    clock.advance(35 * 60_000);
    expect(await within(14)).toBe('rate_limited');
    clock.advance(1);
    expect(await within(14)).toBe('given');
  });

  it('count while their claim waits and its transfer would still be on time, and no longer once that is judged', async () => {
    mostOpenCents = 781n;
    const given = await give({ partner_id: 15 });
    if (!given.ok) throw new Error(given.error.message);
    await claimOf(15, 501);
    expect(await take(given.value.quote_id, { partnerId: 15, claimId: 501 })).toMatchObject({ quoteNotApplied: null });
    expect(await within(15)).toBe('rate_limited');
    await db.query(
      `update claims set state = 'verified', next_check_at = null, judged_at = $1 where transaction_id = 501`,
      [clock.now()],
    );
    expect(await within(15)).toBe('given');
  });

  it('of a claim that waits are over with the time of their transfer', async () => {
    mostOpenCents = 781n;
    const given = await give({ partner_id: 16 });
    if (!given.ok) throw new Error(given.error.message);
    await claimOf(16, 502);
    await take(given.value.quote_id, { partnerId: 16, claimId: 502 });
    clock.advance(330_000);
    expect(await within(16)).toBe('rate_limited');
    clock.advance(1);
    expect(await within(16)).toBe('given');
  });
});
