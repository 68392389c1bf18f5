import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf, ledgerCheck, SCENE_WITHIN_MS, StackProcess, testProfile, until, type Answer, type PayBody, type StatusRow } from '@vuka/testing';

import { openPayScene, type PayScene } from './pay-scene.spec-support.js';
import { codeOf, expectRefused, Pays } from './pays.spec-support.js';

const NOBODY = '0x2222222222222222222222222222222222222222';
const RACERS = 20;

let scene: PayScene;
let pays: Pays;

beforeAll(async () => {
  scene = await openPayScene({ chains: ['CELO', 'BNB', 'POLYGON'] });
  pays = new Pays(scene);
}, SCENE_WITHIN_MS);

afterAll(() => scene.end(), 60_000);

const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';
const upper = (hash: string): string => `0x${hash.slice(2).toUpperCase()}`;
const SPELLINGS: readonly [string, (hash: string) => string, string][] = [
  ['as it is', (hash) => hash, 'BNB'],
  ['in capital letters', upper, 'bnb'],
  ['with a capital X', (hash) => hash.replace('0x', '0X'), 'BSC'],
  ['without 0x', (hash) => hash.slice(2), 'BINANCE'],
  ['without 0x, in capital letters', (hash) => hash.slice(2).toUpperCase(), 'Binance'],
];

describe('a hash', () => {
  let hash: string;
  let code: string;

  beforeAll(async () => {
    hash = await pays.deposit('8', { asset: 'USDT', chain: 'BNB' });
    code = await pays.claim(upper(hash).slice(2), { chain: 'bsc', reference: 'first-claim' });
  }, 30_000);

  it.each(SPELLINGS)('%s is refused at once when it has been claimed, naming the transaction', async (_, spell, chain) => {
    const answer = await pays.ask(spell(hash), { chain });
    expect(expectRefused(answer, 409, 'hash_already_processed')).toMatch(/already been processed/);
    expect(answer.headers['transaction-code']).toBe(code);
  });

  it.each(SPELLINGS)('%s is still refused when it has been paid, and finds its transaction', async (_, spell, chain) => {
    await pays.ended(code, 'COMPLETE');
    expectRefused(await pays.ask(spell(hash), { chain }), 409, 'hash_already_processed');
    const row = dataOf<StatusRow>(await scene.one.send({ path: '/account/ke/transaction', body: { transaction_hash: spell(hash) } }));
    expect([row.transaction_code, row['transaction_hash']]).toEqual([code, hash]);
  });

  it('claimed by twenty at once is one payment', async () => {
    const raced = await pays.deposit('8');
    const answers = await Promise.all(Array.from({ length: RACERS }, (_, index) => pays.ask(SPELLINGS[index % SPELLINGS.length]?.[1](raced) ?? '', { chain: index % 2 === 0 ? 'CELO' : '', reference: `race-${index}` })));
    const [first, ...others] = answers.filter(({ status }) => status === 200);
    if (first === undefined) throw new Error('nobody was accepted');
    expect(others).toEqual([]);
    for (const answer of answers.filter((one) => one !== first)) {
      expectRefused(answer, 409, 'hash_already_processed');
      expect(answer.headers['transaction-code']).toBe(codeOf(first));
    }
    await pays.ended(codeOf(first), 'COMPLETE');
  }, 60_000);

  it('of another partner\'s transfer pays nothing, is told as one that is nobody\'s, and stays its own', async () => {
    const theirs = await pays.deposit('8', { client: scene.two });
    const nobodys = await scene.chain('CELO').transfer({ asset: 'USDC', amount: '8', to: NOBODY });
    const codes = [await pays.claim(theirs), await pays.claim(nobodys)] as const;
    const [stolen, lost] = [await pays.ended(codes[0], 'FAILED'), await pays.ended(codes[1], 'FAILED')];
    const same = (row: StatusRow): object => ({ ...row, id: 0, transaction_code: '', transaction_hash: '', shortcode: '', created_at: '', updated_at: '' });
    expect(same(stolen)).toEqual(same(lost));
    expect(stolen).toMatchObject({ failure_code: 'no_matching_transfer', rate: '', amount_in_usd: '0.00' });
    await pays.ended(await pays.claim(theirs, {}, scene.two), 'COMPLETE', scene.two);
    // Also when it has been paid for, to whom it belongs.
    expectRefused(await pays.ask(theirs), 409, 'hash_already_processed');
  }, 60_000);

  it('names a transfer on the chain that is named, and no other is looked at', async () => {
    const onPolygon = await pays.deposit('8', { chain: 'POLYGON' });
    const paid = await pays.claim(onPolygon, { chain: 'MATIC' });
    await pays.ended(paid, 'COMPLETE');
    const elsewhere = await scene.one.send({ path: '/v1/pay', body: { ...pays.body(onPolygon), chain: 'SOLANA' } });
    expectRefused(elsewhere, 400, 'invalid_request');
  }, 60_000);
});

describe('a request that is refused', () => {
  const hash = `0x${'ab'.repeat(32)}`;

  it.each<[string, Partial<PayBody>, number, string, RegExp]>([
    ['on a chain that is not served', { chain: 'ETHEREUM' }, 503, 'service_unavailable', /ETHEREUM is not served/],
    ['on a chain nobody knows', { chain: 'DOGE' }, 400, 'unsupported_network', /chain/],
    ['by a token that does not count there', { asset: 'PYUSD' }, 400, 'unsupported_network', /asset must be one of USDC, USDT, CUSD/],
    ['by a token in other letters', { asset: 'USDM' }, 400, 'unsupported_network', /asset/],
    ['by a hash that is none', { transaction_hash: '0x12' }, 400, 'invalid_request', /transaction_hash/],
    ['without a hash', { transaction_hash: '' }, 400, 'invalid_request', /transaction_hash/],
    ['with a refund to no address', { refund_address: '0x12' }, 400, 'invalid_request', /refund_address/],
    ['with a quote that is none', { quote_id: 'mine' }, 400, 'invalid_request', /quote_id/],
    ['with a quote of nobody', { quote_id: '01902a3b-0000-7000-8000-000000000000' }, 404, 'not_found', /quote/],
    ['for too little', { amount: 19 }, 400, 'amount_out_of_range', /^The amount field must be at least 20/],
    ['with a markup that leaves nothing', { fee: 1000 }, 400, 'invalid_request', /fee/],
  ])('%s consumes nothing', async (_, change, status, errorCode, message) => {
    const reference = `refused-${errorCode}-${status}`;
    expect(expectRefused(await pays.ask(hash, { ...change, reference }), status, errorCode)).toMatch(message);
    expect(await scene.one.status(reference)).toBeNull();
  });

  it('on a chain that is not served gets no quote and no address either', async () => {
    expectRefused(await scene.one.send({ path: '/v1/quote/kes', body: { amount: 1000, chain: 'ETHEREUM', asset: 'USDC' } }), 503, 'service_unavailable');
    expect(await scene.one.settlementAddress('ETHEREUM')).toBe('');
  });
});

describe('a quote', () => {
  it('is for one payment, for what it was given for, and for whom', async () => {
    const [quote, other] = [await scene.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' }), await scene.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' })];
    const hash = await pays.deposit(quote.asset_amount);
    const under = (more: Partial<PayBody>): Promise<Answer> => pays.ask(hash, { quote_id: quote.quote_id, ...more });
    for (const change of [{ amount: 1001 }, { chain: 'POLYGON' }, { asset: 'USDT' }]) expectRefused(await under(change), 409, 'quote_mismatch');
    expectRefused(await pays.ask(hash, { quote_id: quote.quote_id }, scene.two), 404, 'not_found');
    const code = codeOf(await under({ reference: 'quoted-1' }));
    expectRefused(await pays.ask(await pays.deposit('8'), { quote_id: quote.quote_id }), 409, 'quote_used');
    await pays.ended(code, 'COMPLETE');
    expectRefused(await pays.ask(await pays.deposit('8'), { quote_id: quote.quote_id.toUpperCase() }), 409, 'quote_used');
    expect(await scene.one.status(code)).toMatchObject({ quote_id: quote.quote_id });
    expect(other.quote_id).not.toBe(quote.quote_id);
  }, 60_000);

  it('asked for by twenty at once is used by one', async () => {
    const quote = await scene.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' });
    const hashes = await Promise.all(Array.from({ length: RACERS }, () => pays.deposit(quote.asset_amount, { mine: false })));
    await pays.celo.mineToFinality();
    const answers = await Promise.all(hashes.map((hash) => pays.ask(hash, { quote_id: quote.quote_id })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 409, 'quote_used');
    await pays.ended(codeOf(answers.find(({ status }) => status === 200) as Answer), 'COMPLETE');
  }, 60_000);
});

describe('a repeat', () => {
  it('by its reference is answered as before, while it waits and when it has ended, and pays once', async () => {
    const quote = await scene.one.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' });
    const hash = await pays.deposit(quote.asset_amount);
    const body = pays.body(hash, { reference: 'again-pay', quote_id: quote.quote_id });
    const first = await scene.one.pay('KES', body);
    // Other spellings of the same body are the same body; the fields as sent, canonicalised.
    const early = await scene.one.pay('KES', { ...body, amount: '1000.00', extra: true } as PayBody, {}, '');
    await pays.ended('again-pay', 'COMPLETE');
    const late = await scene.one.pay('KES', body);
    expect([first, early, late].map((answer) => [answer.status, isReplay(answer), answer.text === first.text])).toEqual([[200, false, true], [200, true, true], [200, true, true]]);
  }, 60_000);

  it('of a reference with another body is refused, and names the transaction', async () => {
    const body = pays.body(await pays.deposit('8'), { reference: 'other-body' });
    await pays.ended(codeOf(await scene.one.pay('KES', body)), 'COMPLETE');
    for (const change of [{ amount: 1001 }, { transaction_hash: `0x${'cd'.repeat(32)}` }, { chain: 'BNB' }, { asset: 'USDC' }, { refund_address: NOBODY }]) {
      const answer = await scene.one.pay('KES', { ...body, ...change });
      expectRefused(answer, 409, 'reference_reused');
      expect(answer.headers['transaction-code']).toBe('other-body');
    }
  }, 60_000);

  it('by its Idempotency-Key is answered as before, under one code of ours', async () => {
    const hash = await pays.deposit('8');
    const body = pays.body(hash);
    const answers = await Promise.all(Array.from({ length: RACERS }, () => scene.one.pay('KES', body, { 'idempotency-key': 'pay-key-1' })));
    const codes = new Set(answers.filter(({ status }) => status === 200).map(codeOf));
    expect(codes.size).toBe(1);
    expect(answers.filter(({ status, headers }) => status !== 200 && headers['error-code'] !== 'request_in_progress').map(({ text }) => text)).toEqual([]);
    await pays.ended([...codes][0] ?? '', 'COMPLETE');
    const again = await scene.one.pay('KES', body, { 'idempotency-key': 'pay-key-1' });
    expect([again.status, isReplay(again), codeOf(again)]).toEqual([200, true, [...codes][0]]);
    expectRefused(await scene.one.pay('KES', { ...body, amount: 1001 }, { 'idempotency-key': 'pay-key-1' }), 422, 'idempotency_mismatch');
  }, 60_000);

  it('shares its references with payouts from the wallet', async () => {
    const hash = await pays.deposit('8');
    const body = pays.body(hash, { reference: 'shared-1' });
    await pays.ended(codeOf(await scene.one.pay('KES', body)), 'COMPLETE');
    const { transaction_hash: _, ...fields } = body;
    expectRefused(await scene.one.disburse('KES', fields), 409, 'reference_reused');
  }, 60_000);
});

/** A service dies alone only where services run apart; embedded, crash-points-pay kills all of them. */
const apart = testProfile() === 'distributed' ? describe : describe.skip;

apart('while offramp is away (distributed profile)', () => {
  it('pays are accepted, wait, and are paid when it is back; what needs it says so', async () => {
    const { vuka, one } = scene;
    if (!(vuka instanceof StackProcess)) throw new Error('this profile has no process of offramp');
    const hashes = await Promise.all(Array.from({ length: 6 }, () => pays.deposit('8', { mine: false })));
    await pays.celo.mineToFinality();
    await vuka.stopMember('offramp');
    const codes = await Promise.all(hashes.map((hash) => pays.claim(hash)));
    expect(new Set((await Promise.all(codes.map((code) => one.status(code)))).map((row) => row?.status))).toEqual(new Set(['PENDING']));
    expectRefused(await one.send({ path: '/v1/quote/kes', body: { amount: 1000, chain: 'CELO', asset: 'USDC' } }), 503, 'service_unavailable');
    expectRefused(await pays.ask(hashes[0] ?? ''), 409, 'hash_already_processed');
    await vuka.startMember('offramp');
    for (const code of codes) await pays.ended(code, 'COMPLETE', one, 60_000);
    await until(async () => (await one.send({ path: '/v1/quote/kes', body: { amount: 1000, chain: 'CELO', asset: 'USDC' } })).status === 200, { withinMs: 30_000, what: 'quotes are given again', everyMs: 200 });
  }, 180_000);

  it('killed while claims come in, it loses none and pays none twice', async () => {
    const { vuka } = scene;
    if (!(vuka instanceof StackProcess)) throw new Error('this profile has no process of offramp');
    const hashes = await Promise.all(Array.from({ length: 8 }, () => pays.deposit('8', { mine: false })));
    await pays.celo.mineToFinality();
    await vuka.isWhole();
    const before = await Promise.all(hashes.slice(0, 4).map((hash) => pays.claim(hash)));
    await vuka.killMember('offramp');
    const after = await Promise.all(hashes.slice(4).map((hash) => pays.claim(hash)));
    // What it was looking at is looked at again when its lease has lapsed.
    for (const code of [...before, ...after]) await pays.ended(code, 'COMPLETE', scene.one, 90_000);
  }, 180_000);
});

describe('seen from outside', () => {
  it('each deposit is in one place, to the cent, and the ledger agrees', async () => {
    expect((await scene.checker.expectSound()).arrivals).toBeGreaterThan(25);
    expect(await ledgerCheck(scene.vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
  }, 120_000);
});
