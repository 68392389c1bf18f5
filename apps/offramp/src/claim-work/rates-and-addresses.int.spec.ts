import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { openAddressSources } from '../addresses/address-sources.js';
import { SANDBOX_XPUB } from '../addresses/sandbox-xpub.js';
import { DepositStore } from '../claims/deposit.store.js';
import { LookScene, never, NOW, usdcOn } from '../testing/look-scene.spec-support.js';
import { found, hashOf } from '../testing/offramp.spec-support.js';

let scene: LookScene;

beforeAll(async () => {
  scene = await LookScene.open();
}, 60_000);

afterAll(() => scene.close());

beforeEach(() => scene.reset());

describe('the rate', () => {
  it('is frozen when the claim comes, whatever it does afterwards', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1 });
    scene.rates.rate = '1';
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.round(scene.looker());
    expect(await scene.db.query('select state, rate from claims')).toEqual([{ state: 'verified', rate: '129.35' }]);
  });

  it.each([
    ['as long as a quote would live', 330_000, '129.35'],
    ['no longer: a transfer that was sent later gets the rate of the day', 330_001, '1'],
  ])('is frozen %s', async (_, afterMs, rate) => {
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1, amount_minor: '100' });
    scene.rates.rate = '1';
    scene.clock.advance(afterMs);
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.round(scene.looker());
    expect(await scene.db.query('select state, rate from deposits')).toEqual([{ state: 'consumed', rate }]);
  });

  it('is that of the first look that has one, where none was fresh; until then value waits and nothing else does', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    scene.rates.rate = null;
    for (const id of [1, 2]) await scene.take({ transactionId: id });
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    scene.reader().says(hashOf(2), found({ at: scene.clock.now(), transfers: [] }));
    await scene.round(scene.looker());
    expect(await scene.db.query('select state, rate, trouble from claims order by transaction_id')).toEqual([
      { state: 'open', rate: null, trouble: 'no fresh rate' },
      { state: 'unusable', rate: null, trouble: null },
    ]);
    scene.clock.advance(1_000);
    scene.rates.rate = '130';
    await scene.round(scene.looker());
    expect(await scene.db.query('select state, rate from claims where transaction_id = 1')).toEqual([
      { state: 'verified', rate: '130' },
    ]);
  });
});

describe('a token that has lost its peg', () => {
  it.each([
    ['that named none', null],
    ['that named it', 'USDC'],
  ])('is not bought by a claim %s, whatever its rate, until it is worth a dollar again', async (_, asset) => {
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1, asset });
    scene.rates.offPeg = ['USDC'];
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.round(scene.looker());
    expect(await scene.db.query('select state, trouble from claims')).toEqual([
      { state: 'open', trouble: 'the token is off its peg' },
    ]);
    // Nor while the source of rates is silent.
    scene.clock.advance(1_000);
    scene.rates.rate = null;
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([{ state: 'open', fence: 2 }]);
    scene.clock.advance(1_000);
    scene.rates.offPeg = [];
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([{ state: 'verified' }]);
  });
});

describe('a token whose peg nobody has told lately', () => {
  it('is not bought either, until it is told again', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1 });
    scene.rates.unknownPeg = ['USDC'];
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.round(scene.looker());
    expect(await scene.db.query('select state, trouble from claims')).toEqual([
      { state: 'open', trouble: 'no fresh peg' },
    ]);
    scene.clock.advance(1_000);
    scene.rates.unknownPeg = [];
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([{ state: 'verified' }]);
  });
});

describe('a quote', () => {
  const quoteId = '01930000-0000-7000-8000-000000000001';
  beforeEach(async () => {
    await scene.db.query(
      `insert into quotes (id, partner_id, currency, amount_minor, chain, asset, rate, created_at, expires_at) values ($1, 1, 'KES', 100000, 'CELO', 'USDC', 140, $2, $3)`,
      [quoteId, NOW, new Date(NOW.getTime() + 300_000)],
    );
    await scene.addresses.ofPartner(1, 'evm');
  });
  const verdicts = (): Promise<unknown[]> =>
    scene.db.query(
      `select envelope::jsonb -> 'data' ->> 'rate' as rate, envelope::jsonb -> 'data' ->> 'quote_passed_over' as passed from outbox order by xid, id`,
    );

  it('counts by the time of the block, and is used once', async () => {
    for (const id of [1, 2]) {
      scene.reader().says(hashOf(id), scene.enoughOn('CELO'));
      await scene.take({ transactionId: id, quote_id: quoteId });
    }
    await scene.round(scene.looker());
    expect(await verdicts()).toEqual(
      expect.arrayContaining([
        { rate: '140', passed: null },
        { rate: '129.35', passed: 'used' },
      ]),
    );
  });

  it('that came too late leaves the rate that was frozen with the claim', async () => {
    await scene.take({ transactionId: 1, quote_id: quoteId });
    scene.clock.advance(331_000);
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.round(scene.looker());
    expect(await verdicts()).toEqual([{ rate: '129.35', passed: 'expired' }]);
  });

  it('needs no rate of the day while it counts', async () => {
    scene.rates.rate = null;
    await scene.take({ transactionId: 1, quote_id: quoteId });
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.round(scene.looker());
    expect(await verdicts()).toEqual([{ rate: '140', passed: null }]);
  });

  it.each<[string, 'offPeg' | 'unknownPeg', string]>([
    ['that has lost its peg since it was given', 'offPeg', 'the token is off its peg'],
    ['whose peg nobody has told lately', 'unknownPeg', 'no fresh peg'],
  ])(
    'buys no token %s: the deposit waits as one without a quote does, and keeps the quote',
    async (_, peg, trouble) => {
      await scene.take({ transactionId: 1, quote_id: quoteId });
      scene.rates[peg] = ['USDC'];
      scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
      await scene.round(scene.looker());
      expect(await scene.db.query('select state, trouble from claims')).toEqual([{ state: 'open', trouble }]);
      expect(await verdicts()).toEqual([]);
      scene.clock.advance(1_000);
      scene.rates[peg] = [];
      await scene.round(scene.looker());
      expect(await verdicts()).toEqual([{ rate: '140', passed: null }]);
    },
  );

  it('is free again where the claim is released', async () => {
    await scene.take({ transactionId: 1, quote_id: quoteId });
    scene.clock.advance(46 * 60_000);
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([{ state: 'unusable' }]);
    expect(await scene.db.query('select taken_by from quotes')).toEqual([{ taken_by: null }]);
  });
});

describe('addresses', () => {
  it('are one per partner for ever, whoever asks at the same time, and nobody else gets one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => scene.addresses.ofPartner((n % 3) + 1, 'evm')),
    );
    const given = answers.map((answer) => (answer.ok ? answer.value.address : never()));
    expect(new Set(given).size).toBe(3);
    expect(given.slice(3, 6)).toEqual(given.slice(0, 3));
    // No place of a list is spent on those who come second.
    const [drawn] = await scene.db.query<{ index: number }>(
      'select last_value::integer as index from deposit_address_indexes',
    );
    expect(
      await scene.db.query(
        'select min(derivation_index)::integer as first, max(derivation_index)::integer as last from deposit_addresses',
      ),
    ).toEqual([{ first: drawn!.index - 2, last: drawn!.index }]);
    // An index that was drawn and not used is never drawn again.
    const before =
      (await scene.db.query<{ index: number }>('select max(derivation_index) as index from deposit_addresses'))[0]
        ?.index ?? never();
    await scene.db.query('delete from deposit_addresses');
    await scene.addresses.ofPartner(1, 'evm');
    expect(
      (await scene.db.query<{ index: number }>('select derivation_index as index from deposit_addresses'))[0]?.index,
    ).toBeGreaterThan(before);
  });

  it.each([
    [`address = '0x000000000000000000000000000000000000dEaD'`],
    ['derivation_index = 2000000000'],
    [`xpub_id = 'another'`],
  ])('that were changed behind our back (%s) are given to nobody, and no claim is judged by them', async (change) => {
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1 });
    await scene.db.query(`update deposit_addresses set ${change}`);
    expect(await scene.addresses.ofPartner(1, 'evm')).toMatchObject({
      ok: false,
      error: { code: 'service_unavailable' },
    });
    await scene.round(scene.looker());
    expect(await scene.states()).toMatchObject([{ state: 'open' }]);
    expect(scene.reader().reads).toEqual([]);
    expect(scene.alarms()).toContain('deposit_address_differs');
  });

  it('of another account key are no start', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    await expect(scene.addresses.check()).resolves.toBeUndefined();
    await scene.db.query(`update deposit_addresses set xpub_id = 'another'`);
    await expect(scene.addresses.check()).rejects.toMatchObject({ name: 'BootError' });
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
    expect(await scene.addresses.addressOf(1, { name: 'CELO', family: 'evm' })).toMatchObject({ ok: true });
    expect(await scene.addresses.addressOf(1, { name: 'BASE', family: 'evm' })).toMatchObject({
      ok: false,
      error: { code: 'service_unavailable' },
    });
  });
});

it('value that waits is listed, page by page and by partner', async () => {
  for (const id of [1, 2, 3]) {
    const partner = id === 3 ? 2 : 1;
    await scene.addresses.ofPartner(partner, 'evm');
    scene
      .reader()
      .says(hashOf(id), found({ at: scene.clock.now(), transfers: [{ token: usdcOn('CELO'), value: BigInt(id) }] }));
    await scene.take({ transactionId: id, partner_id: partner });
    await scene.round(scene.looker());
  }
  const store = new DepositStore(scene.db);
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
  await scene.addresses.ofPartner(1, 'evm');
  scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
  for (const id of [1, 2]) await scene.take({ transactionId: id });
  scene.clock.advance(5_000);
  await scene.round(scene.looker());
  const text = await scene.metrics.text();
  expect(text).toContain('vuka_offramp_open_claims{chain="CELO",state="open",service="offramp"} 1');
  expect(text).toContain('vuka_offramp_oldest_claim_seconds{chain="CELO",state="open",service="offramp"} 5');
  expect(text).toContain('vuka_offramp_looks_total{chain="CELO",outcome="wait",service="offramp"} 1');
  expect(text).toContain('vuka_offramp_verdicts_total{chain="CELO",kind="verified",reason="",service="offramp"} 1');
});
