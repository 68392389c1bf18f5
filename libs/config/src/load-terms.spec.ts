import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  money,
  CURRENCIES,
  defaultTerms,
  effectiveLimits,
  parseBankTransfer,
  parseDisburse,
  serviceFee,
  type Currencies,
} from '@vuka/domain';

import { loadTerms } from './load-terms.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-terms-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function termsOf(text: string, env: 'sandbox' | 'live' = 'sandbox'): Promise<Currencies> {
  const termsFile = join(folder, 'terms.json');
  await writeFile(termsFile, text);
  return loadTerms({ termsFile, env });
}

async function example(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../../docs/operators/terms.md'), 'utf8');
  return /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
}

describe('terms of a deployment', () => {
  it("are the registry's without a file; live takes no fee that nobody has set", async () => {
    expect(await loadTerms({ env: 'sandbox' })).toBe(CURRENCIES);
    expect(await loadTerms({ env: 'live' })).toEqual(defaultTerms('live'));
    expect(serviceFee('bank_transfer', money(100_00n, 'KES'), await loadTerms({ env: 'live' })).minor).toBe(0n);
  });

  it('are as the example of docs/operators/terms.md has them', async () => {
    const terms = await termsOf(await example());
    const most = (code: keyof Currencies, kind: string, paidIn: string = code) =>
      effectiveLimits(terms[code]).find((one) => one.kind === kind && one.paidIn === paidIn)?.limits;
    expect(most('KES', 'mobile')).toEqual({ minMinor: 50_00n, maxMinor: 70_000_00n });
    expect(most('KES', 'till')).toEqual({ minMinor: 20_00n, maxMinor: 250_000_00n });
    expect(most('UGX', 'mobile')).toEqual({ minMinor: 1_000n, maxMinor: 5_000_000n });
    expect(most('CDF', 'mobile', 'USD')).toEqual({ minMinor: 1_00n, maxMinor: 250_00n });
    expect(most('CDF', 'mobile')?.maxMinor).toBe(1_000_000_00n);
    const transfer = { account_number: '1234567890', bank_code: '01' };
    expect(parseBankTransfer(terms.KES, { ...transfer, amount: '150000' }).ok).toBe(true);
    expect(parseBankTransfer(terms.KES, { ...transfer, amount: '150000.01' }).ok).toBe(false);
    expect(parseDisburse(terms.UGX, { shortcode: '0772345678', mobile_network: 'MTN', amount: '999' }).ok).toBe(false);
    expect(serviceFee('bank_transfer', money(100_00n, 'KES'), terms).minor).toBe(25_00n);
    expect(serviceFee('disburse', money(1_001_00n, 'NGN'), terms).minor).toBe(10_50n + 751n);
    expect(serviceFee('bank_transfer', money(1_001_00n, 'NGN'), terms).minor).toBe(0n);
    expect([
      serviceFee('disburse', money(10_00n, 'USD'), terms).minor,
      serviceFee('disburse', money(1_000_00n, 'CDF'), terms).minor,
    ]).toEqual([10n, 0n]);
  });

  it('are the same in live, where the file sets them', async () => {
    expect(serviceFee('bank_transfer', money(100_00n, 'KES'), await termsOf(await example(), 'live')).minor).toBe(
      25_00n,
    );
  });
});

describe('a file that breaks a rule', () => {
  it.each<[string, object, RegExp]>([
    ['an unknown member', { limit: [] }, /limit/],
    [
      'an unknown currency',
      {
        limits: [
          { operation: 'payout', currency: 'KES' },
          { operation: 'payout', currency: 'EUR', max: '1' },
        ],
      },
      /limits\.1\.currency/,
    ],
    ['an amount that is a number', { limits: [{ operation: 'payout', currency: 'KES', max: 100 }] }, /limits\.0\.max/],
    [
      'an amount that is none',
      { limits: [{ operation: 'payout', currency: 'KES', max: '1e3' }] },
      /limits\.0: max must be a decimal/,
    ],
    [
      'more than the network takes',
      { limits: [{ operation: 'payout', currency: 'UGX', max: '5000001' }] },
      /limits\.0: max must not be above the network's own 5,000,000/,
    ],
    ['a least above the most', { limits: [{ operation: 'payout', currency: 'ETB', min: '75001' }] }, /limits\.0: min/],
    [
      'a kind that is not paid there',
      { limits: [{ operation: 'payout', currency: 'UGX', type: 'PAYBILL', max: '1000' }] },
      /limits\.0: PAYBILL is no kind/,
    ],
    [
      'a bank transfer where there is none',
      { limits: [{ operation: 'bank_transfer', currency: 'GHS', max: '10' }] },
      /limits\.0: bank transfers in GHS are not offered/,
    ],
    [
      'a wallet that does not pay there',
      { service_fees: [{ operation: 'disburse', currency: 'KES', paid_in: 'USD', flat: '1' }] },
      /service_fees\.0: payouts in KES are not made from USD/,
    ],
    [
      'a fee on pay',
      { service_fees: [{ operation: 'pay', currency: 'KES', flat: '1' }] },
      /service_fees\.0\.operation/,
    ],
    [
      'a share of a basis point',
      { service_fees: [{ operation: 'disburse', currency: 'KES', basis_points: 0.5 }] },
      /service_fees\.0\.basis_points/,
    ],
    [
      'a fee of cents where there are none',
      { service_fees: [{ operation: 'disburse', currency: 'UGX', flat: '0.5' }] },
      /service_fees\.0: flat must be a whole number/,
    ],
  ])('%s: the row is named', async (_, json, message) => {
    const failure = termsOf(JSON.stringify(json));
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({
      name: 'BootError',
      advice: expect.stringContaining('docs/operators/terms.md'),
    });
  });

  it('is told apart from one that cannot be read', async () => {
    await expect(termsOf('{ "limits": [')).rejects.toThrow(/cannot be read as JSON/);
    await expect(termsOf('[]')).rejects.toThrow(/breaks a rule: the file/);
    await expect(loadTerms({ termsFile: join(folder, 'missing.json'), env: 'sandbox' })).rejects.toThrow(
      /cannot be read as JSON/,
    );
  });
});
