import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataOf,
  destinationIn,
  openFixture,
  FIXTURE_WITHIN_MS,
  VukaProcess,
  watchStatus,
  type Fixture,
} from '@vuka/testing';

const ACCOUNT = { type: 'BANK_TRANSFER', account_number: '9876543210', bank_code: '01' };

const READERS = ['gateway', 'payments'];

let fixture: Fixture;
let folder: string;

/** The example of docs/operators/terms.md. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-terms-'));
  const page = await readFile(join(import.meta.dirname, '../../../docs/operators/terms.md'), 'utf8');
  await writeFile(join(folder, 'terms.json'), /```json\n(.*?)```/s.exec(page)?.[1] ?? '');
  fixture = await openFixture({ env: { VUKA_TERMS_FILE: join(folder, 'terms.json') } });
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await fixture.end();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describe('limits and fees of a deployment', () => {
  it.each([
    ['UGX', '999', '1000', 'at least 1000'],
    ['KES', '49', '50', 'at least 50'],
  ])('%s: %s is too little, %s is not', async (market, below, least, rule) => {
    const to = destinationIn(market, 'mobile');
    const refused = await fixture.one.disburse(market, { ...to, amount: below });
    expect([refused.status, refused.headers['error-code']]).toEqual([400, 'amount_out_of_range']);
    expect(refused.body?.message).toContain(rule);
    expect((await fixture.one.disburse(market, { ...to, amount: least })).status).toBe(200);
  });

  it('a fee in per cent is on top of the amount, from its wallet, and told', async () => {
    const before = (await fixture.one.wallets()).get('NGN') ?? 0n;
    const answer = await fixture.one.disburse('NGN', { ...destinationIn('NGN', 'bank'), amount: '1000.01' });
    const { row } = await watchStatus(
      fixture.one,
      dataOf<{ transaction_code: string }>(answer).transaction_code,
      'COMPLETE',
      15_000,
    );
    // 10.50, plus 0.75 % of 1000.01 rounded up to a kobo.
    expect(row).toMatchObject({ amount: '1000.01', service_fee: '18.01', fee: '0.00' });
    expect((await fixture.one.wallets()).get('NGN')).toBe(before - 100_001n - 1_801n);
  }, 30_000);

  it('are published', async () => {
    const limits = (await fixture.one.send({ path: '/v1/limits' })).text;
    expect(limits).toContain('"70000.00"');
    const { text } = await fixture.one.send({ method: 'GET', path: '/openapi.json' });
    expect(text).toContain('1000 to 5000000, with no decimals');
  });
});

describe('limits that became narrower', () => {
  const keyed = { 'idempotency-key': 'before-the-terms' };

  it('change nothing of what was accepted: its repeat is answered as it was, and only something new is refused', async () => {
    const { one, vuka } = fixture;
    const send = (reference: string | null, headers = {}, amount = '60000') =>
      one.disburse('KES', { ...ACCOUNT, amount, reference }, headers);
    const transfer = (reference: string) =>
      one.bankTransfer('KES', { account_number: '1234567890', bank_code: '01', amount: '60000', reference });
    const first = [await send('kept-1'), await transfer('kept-2'), await send(null, keyed)];
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
    await writeFile(
      join(folder, 'terms.json'),
      JSON.stringify({
        limits: [
          { operation: 'payout', currency: 'KES', max: '50000' },
          { operation: 'bank_transfer', currency: 'KES', max: '50000' },
        ],
      }),
    );
    await vuka.restartServices(READERS);
    const again = [await send('kept-1'), await transfer('kept-2'), await send(null, keyed)];
    expect(
      again.map(({ status, text, headers }) => [
        status,
        text,
        headers['idempotent-replayed'],
        headers['transaction-code'],
      ]),
    ).toEqual(first.map(({ text, headers }) => [200, text, 'true', headers['transaction-code']]));
    for (const answer of [
      await send('kept-3'),
      await send('kept-1', {}, '60001'),
      await send(null, { 'idempotency-key': 'after-the-terms' }),
    ]) {
      expect([answer.status, answer.headers['error-code']]).toEqual([400, 'amount_out_of_range']);
    }
  }, 90_000);
});

describe('a file that breaks a rule', () => {
  it('stops the start, and names the row', async () => {
    const [dataDir, file] = [join(folder, 'refused'), join(folder, 'broken.json')];
    await writeFile(file, '{"limits": [{"operation": "payout", "currency": "UGX", "max": "5000001"}]}');
    const vuka = new VukaProcess(dataDir, { dataDir, env: { VUKA_TERMS_FILE: file } });
    const { code, output } = await vuka.runToEnd(30_000);
    expect(code).toBe(1);
    expect(output).toMatch(/✗.*limits\.0: max must not be above the network's own 5,000,000/);
    expect(output).toContain('docs/operators/terms.md');
  }, 40_000);
});
