import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Result } from '@vuka/domain';

import type { AddressSource } from '../addresses/address-sources.js';
import { ScanStore } from '../incoming-transfers/scan.store.js';
import { SwitchStore } from '../switches/switch.store.js';
import { CheckFixture } from '../testing/check-fixture.spec-support.js';
import { hashOf } from '../testing/offramp.spec-support.js';
import {
  CONTEXT,
  FIRST,
  LIVES_S,
  checks,
  orderOf,
  reserved,
  reserver,
  scanFinds,
  sightingOf,
  valueOf,
} from './order-fixture.spec-support.js';

let fixture: CheckFixture;
beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

const count = async (table: string): Promise<number> =>
  (await fixture.db.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n ?? -1;

describe('what an order reserves', () => {
  it('is an address of its own, the rate, what is due by it, and a watch of a day', async () => {
    const given = await reserved(fixture, FIRST, { amount_minor: '100000', most_usd_cents: '774' });
    const now = fixture.clock.now();
    expect(given).toEqual({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      memo_address: '',
      memo: '',
      rate: '129.35',
      due_minor: '7730963',
      usd_cents: '774',
      decimals: 6,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + LIVES_S * 1_000).toISOString(),
    });
    expect(
      await fixture.db.query('select partner_id::integer as partner, family, purpose, address from deposit_addresses'),
    ).toEqual([{ partner: 1, family: 'evm', purpose: 'order', address: given.address }]);
    expect(
      await fixture.db.query(
        `select (watch_until - expires_at)::text as watched, correlation_id, causation_id from order_watches`,
      ),
    ).toEqual([{ watched: '1 day', correlation_id: 'request-1', causation_id: '00-trace-1' }]);
    const partners = await fixture.addresses.ofPartner(1, 'evm');
    expect(valueOf(partners).address).not.toBe(given.address);
  });

  it('is the same for every repeat, even if rates and switches have changed', async () => {
    const given = await reserved(fixture, FIRST);
    fixture.clock.advance(3_600_000);
    fixture.rates.rate = '140';
    expect(await reserved(fixture, FIRST)).toEqual(given);
    fixture.rates.rate = null;
    await new SwitchStore(fixture.db).switchOff({
      chain: 'CELO',
      asset: null,
      reason: 'halted',
      offBy: 'somebody',
      offSince: fixture.clock.now(),
    });
    expect(await reserved(fixture, FIRST)).toEqual(given);
    await expect(reserver(fixture).run(orderOf(FIRST, { amount_minor: '1' }), CONTEXT)).rejects.toThrow(
      'reserved for something else',
    );
  });

  it('is one however many ask at once, and another for every order', async () => {
    const many = Array.from({ length: 8 }, () => reserved(fixture, FIRST));
    const others = Array.from({ length: 8 }, (_, n) => reserved(fixture, FIRST + 1 + n));
    expect(new Set((await Promise.all(many)).map((one) => JSON.stringify(one))).size).toBe(1);
    expect(new Set((await Promise.all(others)).map(({ address }) => address)).size).toBe(8);
    expect(await count('order_watches')).toBe(9);
    expect(await count('deposit_addresses')).toBe(9);
  });

  it('is nothing where its commit fails, and a later call reserves it', async () => {
    const dies = reserver(fixture, {
      db: {
        query: (...asked) => fixture.db.query(...asked),
        inTransaction: (work) =>
          fixture.db.inTransaction(async (tx) => {
            await work(tx);
            throw new Error('the process died');
          }),
      },
    });
    await expect(dies.run(orderOf(FIRST), CONTEXT)).rejects.toThrow('the process died');
    expect([await count('order_watches'), await count('deposit_addresses')]).toEqual([0, 0]);
    expect((await reserved(fixture, FIRST)).address).toMatch(/^0x/);
  });

  it('is a muxed address with its memo on Stellar', async () => {
    const given = valueOf(
      await reserver(fixture, { served: new Set(['STELLAR']) }).run(orderOf(FIRST, { chain: 'STELLAR' }), CONTEXT),
    );
    expect(given).toMatchObject({
      address: expect.stringMatching(/^M/),
      memo_address: expect.stringMatching(/^G/),
      memo: expect.stringMatching(/^\d+$/),
      decimals: 7,
    });
  });
});

describe('an order reserves nothing', () => {
  const refusal = async (more: Parameters<typeof orderOf>[1]): Promise<unknown> => {
    const result: Result<unknown> = await reserver(fixture).run(orderOf(FIRST, more), CONTEXT);
    expect([await count('order_watches'), await count('deposit_addresses')]).toEqual([0, 0]);
    return result.ok ? 'reserved' : result.error.code;
  };

  it.each([
    ['on no such chain', { chain: 'NOWHERE' }, 'unsupported_network'],
    ['of a token that is not accepted there', { asset: 'PYUSD' }, 'unsupported_network'],
    ['on a chain that is not served', { chain: 'BASE' }, 'service_unavailable'],
    ['that is worth more than it may be', { amount_minor: '100000', most_usd_cents: '773' }, 'rate_limited'],
  ])('%s', async (_, more, code) => {
    expect(await refusal(more)).toBe(code);
  });

  it('while its token is switched off, or no rate is fresh', async () => {
    await new SwitchStore(fixture.db).switchOff({
      chain: 'CELO',
      asset: 'USDC',
      reason: 'halted',
      offBy: 'somebody',
      offSince: fixture.clock.now(),
    });
    expect(await refusal({})).toBe('service_unavailable');
    fixture.rates.rate = null;
    expect(await refusal({ asset: 'USDT' })).toBe('rate_stale');
  });

  it('where no address is left: people are called', async () => {
    const source: AddressSource = {
      family: 'evm',
      variable: 'LIST',
      keyId: 'list',
      size: 0,
      addressAt: () => undefined,
      holds: () => false,
    };
    const addresses = fixture.addressesFrom(new Map([['evm', source]]));
    const ask = (): Promise<Result<unknown>> => reserver(fixture, { addresses }).run(orderOf(FIRST), CONTEXT);
    for (const answer of [await ask(), await ask()])
      expect(answer).toMatchObject({ ok: false, error: { code: 'service_unavailable' } });
    expect(fixture.alarms()).toEqual(['deposit_addresses_exhausted']);
    expect(await count('order_watches')).toBe(0);
  });
});

describe('an order on a chain that is not looked through yet', () => {
  const cursor = (chain: string, at: string | null): Promise<unknown> =>
    fixture.db.query(
      'insert into scan_cursors (chain, cursor, next_page_at) values ($1, $2, $3) on conflict (chain) do update set cursor = $2',
      [chain, at, fixture.clock.now()],
    );
  const asks = (pause: (ms: number) => Promise<unknown>, leftMs = 10_000): Promise<Result<unknown>> =>
    reserver(fixture, { scans: new ScanStore(fixture.db), pause }).run(orderOf(FIRST), {
      ...CONTEXT,
      deadline: fixture.clock.now().getTime() + leftMs,
    });
  const passes = async (ms: number): Promise<void> => void fixture.clock.advance(ms);
  beforeEach(async () => {
    await cursor('BNB', 'a');
    await cursor('CELO closed', 'a');
    await cursor('CELO', null);
  });

  it.each([
    ['a second, where the call has it', 10_000, 1_000],
    ['no longer than the call leaves it', 900, 400],
    ['not at all, where the call has no time for it', 599, 0],
  ])('waits for it %s, and then reserves nothing', async (_, leftMs, waitedMs) => {
    const before = fixture.clock.now().getTime();
    expect(await asks(passes, leftMs)).toMatchObject({
      ok: false,
      error: { code: 'service_unavailable', retryAfterS: 1 },
    });
    expect(fixture.clock.now().getTime() - before).toBe(waitedMs);
    expect([await count('order_watches'), await count('deposit_addresses')]).toEqual([0, 0]);
  });

  it('gets its address as soon as it is, and has it from then on', async () => {
    let pauses = 0;
    const given = await asks(async (ms) => {
      fixture.clock.advance(ms);
      if ((pauses += 1) === 3) await cursor('CELO', 'a');
    });
    expect(given).toMatchObject({ ok: true, value: { created_at: fixture.clock.now().toISOString() } });
    expect(pauses).toBe(3);
    await cursor('CELO', null);
    expect(await asks(passes)).toEqual(given);
  });
});

describe('a list of addresses', () => {
  const addressAt = (index: number): string | undefined =>
    index < 53 ? `0x${String(index).padStart(40, '0')}` : undefined;
  const list = (): AddressSource => ({
    family: 'evm',
    variable: 'LIST',
    keyId: 'list',
    size: 53,
    addressAt,
    holds: () => false,
  });

  it('gives orders all but the last fifty, however many ask at once, and partners those', async () => {
    await fixture.admin.query('alter sequence deposit_address_indexes restart with 0');
    const addresses = fixture.addressesFrom(new Map([['evm', list()]]));
    const other = fixture.addressesFrom(new Map([['evm', list()]]));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        reserver(fixture, { addresses: n % 2 === 0 ? addresses : other }).run(orderOf(FIRST + n), CONTEXT),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(3);
    for (const answer of answers) if (!answer.ok) expect(answer.error.code).toBe('service_unavailable');
    expect(fixture.alarms()).toEqual(['deposit_addresses_run_out', 'deposit_addresses_run_out']);
    expect(fixture.lines).toMatchObject([
      { family: 'evm', left: 50 },
      { family: 'evm', left: 50 },
    ]);
    const partners = [];
    for (let partner = 1; partner <= 50; partner += 1)
      partners.push(valueOf(await addresses.ofPartner(partner, 'evm')).address);
    expect(partners).toEqual(Array.from({ length: 50 }, (_, n) => addressAt(3 + n)));
    expect(await addresses.ofPartner(51, 'evm')).toMatchObject({ ok: false });
  });
});

it.each([
  ['the address', `update deposit_addresses set address = '0x000000000000000000000000000000000000dEaD'`],
  [
    'both',
    `with a as (update deposit_addresses set address = '0x000000000000000000000000000000000000dEaD') update order_watches set address = '0x000000000000000000000000000000000000dEaD'`,
  ],
  ['the partner', 'update deposit_addresses set partner_id = 2'],
  ['its place', 'update deposit_addresses set derivation_index = 2000000000'],
])('%s that was changed in the database is given to nobody, and nothing is checked with it', async (_, change) => {
  const { address } = await reserved(fixture, FIRST);
  fixture.reader().says(hashOf(1), sightingOf(fixture, {}));
  await scanFinds(fixture, 1, address);
  await fixture.db.query(change);
  expect(await reserver(fixture).run(orderOf(FIRST), CONTEXT)).toMatchObject({
    ok: false,
    error: { code: 'service_unavailable' },
  });
  await checks(fixture);
  expect(await fixture.states()).toMatchObject([{ state: 'open' }]);
  expect(fixture.reader().reads).toEqual([]);
  expect(fixture.alarms()).toContain('deposit_address_differs');
});
