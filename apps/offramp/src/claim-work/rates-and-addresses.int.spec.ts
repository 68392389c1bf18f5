import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { openAddressSources } from '../addresses/address-sources.js';
import { SANDBOX_XPUB } from '../addresses/sandbox-xpub.js';
import { DepositStore } from '../claims/deposit.store.js';
import { CheckFixture, never, NOW, usdcOn } from '../testing/check-fixture.spec-support.js';
import { found, hashOf } from '../testing/offramp.spec-support.js';

let fixture: CheckFixture;

beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);

afterAll(() => fixture.close());

beforeEach(() => fixture.reset());

describe('the rate', () => {
  it('is frozen when the claim comes, whatever it does afterwards', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1 });
    fixture.rates.rate = '1';
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.round(fixture.checker());
    expect(await fixture.db.query('select state, rate from claims')).toEqual([{ state: 'verified', rate: '129.35' }]);
  });

  it.each([
    ['as long as a quote would live', 330_000, '129.35'],
    ['no longer: a transfer that was sent later gets the rate of the day', 330_001, '1'],
  ])('is frozen %s', async (_, afterMs, rate) => {
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1, amount_minor: '100' });
    fixture.rates.rate = '1';
    fixture.clock.advance(afterMs);
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.round(fixture.checker());
    expect(await fixture.db.query('select state, rate from deposits')).toEqual([{ state: 'consumed', rate }]);
  });

  it('is that of the first check that has one, where none was fresh; until then value waits and nothing else does', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    fixture.rates.rate = null;
    for (const id of [1, 2]) await fixture.take({ transactionId: id });
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    fixture.reader().says(hashOf(2), found({ at: fixture.clock.now(), transfers: [] }));
    await fixture.round(fixture.checker());
    expect(await fixture.db.query('select state, rate, trouble from claims order by transaction_id')).toEqual([
      { state: 'open', rate: null, trouble: 'no fresh rate' },
      { state: 'unusable', rate: null, trouble: null },
    ]);
    fixture.clock.advance(1_000);
    fixture.rates.rate = '130';
    await fixture.round(fixture.checker());
    expect(await fixture.db.query('select state, rate from claims where transaction_id = 1')).toEqual([
      { state: 'verified', rate: '130' },
    ]);
  });
});

describe('a token that has lost its peg', () => {
  it.each([
    ['that named none', null],
    ['that named it', 'USDC'],
  ])('is not accepted from a claim %s until it is worth a dollar again', async (_, asset) => {
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1, asset });
    fixture.rates.offPeg = ['USDC'];
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.round(fixture.checker());
    expect(await fixture.db.query('select state, trouble from claims')).toEqual([
      { state: 'open', trouble: 'the token is off its peg' },
    ]);
    fixture.clock.advance(1_000);
    fixture.rates.rate = null;
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([{ state: 'open', fence: 2 }]);
    fixture.clock.advance(1_000);
    fixture.rates.offPeg = [];
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([{ state: 'verified' }]);
  });
});

describe('a token without a fresh peg', () => {
  it('is not accepted either, until there is a fresh peg', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1 });
    fixture.rates.unknownPeg = ['USDC'];
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.round(fixture.checker());
    expect(await fixture.db.query('select state, trouble from claims')).toEqual([
      { state: 'open', trouble: 'no fresh peg' },
    ]);
    fixture.clock.advance(1_000);
    fixture.rates.unknownPeg = [];
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([{ state: 'verified' }]);
  });
});

describe('a quote', () => {
  const quoteId = '01930000-0000-7000-8000-000000000001';
  beforeEach(async () => {
    await fixture.db.query(
      `insert into quotes (id, partner_id, currency, amount_minor, chain, asset, rate, created_at, expires_at) values ($1, 1, 'KES', 100000, 'CELO', 'USDC', 140, $2, $3)`,
      [quoteId, NOW, new Date(NOW.getTime() + 300_000)],
    );
    await fixture.addresses.ofPartner(1, 'evm');
  });
  const verdicts = (): Promise<unknown[]> =>
    fixture.db.query(
      `select envelope::jsonb -> 'data' ->> 'rate' as rate, envelope::jsonb -> 'data' ->> 'quote_passed_over' as passed from outbox order by xid, id`,
    );

  it('counts by the time of the block, and is used once', async () => {
    for (const id of [1, 2]) {
      fixture.reader().says(hashOf(id), fixture.enoughOn('CELO'));
      await fixture.take({ transactionId: id, quote_id: quoteId });
    }
    await fixture.round(fixture.checker());
    expect(await verdicts()).toEqual(
      expect.arrayContaining([
        { rate: '140', passed: null },
        { rate: '129.35', passed: 'used' },
      ]),
    );
  });

  it('that came too late leaves the rate that was frozen with the claim', async () => {
    await fixture.take({ transactionId: 1, quote_id: quoteId });
    fixture.clock.advance(331_000);
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.round(fixture.checker());
    expect(await verdicts()).toEqual([{ rate: '129.35', passed: 'expired' }]);
  });

  it('needs no rate of the day while it counts', async () => {
    fixture.rates.rate = null;
    await fixture.take({ transactionId: 1, quote_id: quoteId });
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.round(fixture.checker());
    expect(await verdicts()).toEqual([{ rate: '140', passed: null }]);
  });

  it.each<[string, 'offPeg' | 'unknownPeg', string]>([
    ['that has lost its peg since it was given', 'offPeg', 'the token is off its peg'],
    ['whose peg nobody has told lately', 'unknownPeg', 'no fresh peg'],
  ])(
    'buys no token %s: the deposit waits as one without a quote does, and keeps the quote',
    async (_, peg, trouble) => {
      await fixture.take({ transactionId: 1, quote_id: quoteId });
      fixture.rates[peg] = ['USDC'];
      fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
      await fixture.round(fixture.checker());
      expect(await fixture.db.query('select state, trouble from claims')).toEqual([{ state: 'open', trouble }]);
      expect(await verdicts()).toEqual([]);
      fixture.clock.advance(1_000);
      fixture.rates[peg] = [];
      await fixture.round(fixture.checker());
      expect(await verdicts()).toEqual([{ rate: '140', passed: null }]);
    },
  );

  it('is free again where the claim is released', async () => {
    await fixture.take({ transactionId: 1, quote_id: quoteId });
    fixture.clock.advance(46 * 60_000);
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([{ state: 'unusable' }]);
    expect(await fixture.db.query('select taken_by from quotes')).toEqual([{ taken_by: null }]);
  });
});

describe('addresses', () => {
  it('are one per partner for ever, whoever asks at the same time, and nobody else gets one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => fixture.addresses.ofPartner((n % 3) + 1, 'evm')),
    );
    const given = answers.map((answer) => (answer.ok ? answer.value.address : never()));
    expect(new Set(given).size).toBe(3);
    expect(given.slice(3, 6)).toEqual(given.slice(0, 3));
    const [drawn] = await fixture.db.query<{ index: number }>(
      'select last_value::integer as index from deposit_address_indexes',
    );
    expect(
      await fixture.db.query(
        'select min(derivation_index)::integer as first, max(derivation_index)::integer as last from deposit_addresses',
      ),
    ).toEqual([{ first: drawn!.index - 2, last: drawn!.index }]);
    const before =
      (await fixture.db.query<{ index: number }>('select max(derivation_index) as index from deposit_addresses'))[0]
        ?.index ?? never();
    await fixture.db.query('delete from deposit_addresses');
    await fixture.addresses.ofPartner(1, 'evm');
    expect(
      (await fixture.db.query<{ index: number }>('select derivation_index as index from deposit_addresses'))[0]?.index,
    ).toBeGreaterThan(before);
  });

  it.each([
    [`address = '0x000000000000000000000000000000000000dEaD'`],
    ['derivation_index = 2000000000'],
    [`xpub_id = 'another'`],
  ])('that were changed in the database (%s) are given to nobody, and no claim is judged with them', async (change) => {
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1 });
    await fixture.db.query(`update deposit_addresses set ${change}`);
    expect(await fixture.addresses.ofPartner(1, 'evm')).toMatchObject({
      ok: false,
      error: { code: 'service_unavailable' },
    });
    await fixture.round(fixture.checker());
    expect(await fixture.states()).toMatchObject([{ state: 'open' }]);
    expect(fixture.reader().reads).toEqual([]);
    expect(fixture.alarms()).toContain('deposit_address_differs');
  });

  it('of another account key are no start', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    await expect(fixture.addresses.check()).resolves.toBeUndefined();
    await fixture.db.query(`update deposit_addresses set xpub_id = 'another'`);
    await expect(fixture.addresses.check()).rejects.toMatchObject({ name: 'BootError' });
  });

  it('need a key that is one, and its text is in no message', async () => {
    const broken = SANDBOX_XPUB.replace(/.$/, (last) => (last === 'G' ? 'H' : 'G'));
    const refusal = openAddressSources({ depositXpub: broken, stellarAccount: null }, new Set());
    await expect(refusal).rejects.toMatchObject({
      name: 'BootError',
      message: expect.stringMatching(/^DEPOSIT_XPUB must be/),
    });
    await expect(refusal).rejects.toMatchObject({ message: expect.not.stringContaining(broken) });
  });

  it('are given for chains that are served, and for no other', async () => {
    expect(await fixture.addresses.addressOf(1, { name: 'CELO', family: 'evm' })).toMatchObject({ ok: true });
    expect(await fixture.addresses.addressOf(1, { name: 'BASE', family: 'evm' })).toMatchObject({
      ok: false,
      error: { code: 'service_unavailable' },
    });
  });
});

it('value that waits is listed, page by page and by partner', async () => {
  for (const id of [1, 2, 3]) {
    const partner = id === 3 ? 2 : 1;
    await fixture.addresses.ofPartner(partner, 'evm');
    fixture
      .reader()
      .says(hashOf(id), found({ at: fixture.clock.now(), transfers: [{ token: usdcOn('CELO'), value: BigInt(id) }] }));
    await fixture.take({ transactionId: id, partner_id: partner });
    await fixture.round(fixture.checker());
  }
  const store = new DepositStore(fixture.db);
  const [first] = await store.unapplied({ limit: 1 });
  expect(first).toMatchObject({
    claimId: 1,
    received: { minor: 1n, currency: 'USDC@CELO' },
    currency: 'KES',
    partnerId: 1,
  });
  expect(await store.unapplied({ limit: 9, after: first?.depositId ?? 0 })).toMatchObject([
    { claimId: 2 },
    { claimId: 3 },
  ]);
});

it('meters tell the open claims by chain and state, the looks and the verdicts', async () => {
  await fixture.addresses.ofPartner(1, 'evm');
  fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
  for (const id of [1, 2]) await fixture.take({ transactionId: id });
  fixture.clock.advance(5_000);
  await fixture.round(fixture.checker());
  const text = await fixture.metrics.text();
  expect(text).toContain('vuka_offramp_open_claims{chain="CELO",state="open",service="offramp"} 1');
  expect(text).toContain('vuka_offramp_oldest_claim_seconds{chain="CELO",state="open",service="offramp"} 5');
  expect(text).toContain('vuka_offramp_checks_total{chain="CELO",outcome="wait",service="offramp"} 1');
  expect(text).toContain('vuka_offramp_verdicts_total{chain="CELO",kind="verified",reason="",service="offramp"} 1');
});
