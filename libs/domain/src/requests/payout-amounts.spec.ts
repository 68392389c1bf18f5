import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CURRENCIES } from '../currency/registry.js';
import { formatDecimal, parseDecimal } from '../money/decimal.js';
import { serviceFee } from '../terms/service-fee.js';
import { applyTerms } from '../terms/terms.js';
import { parseBankTransfer } from './bank-transfer.js';
import { EACH, limitsOf, stepOf, written } from './payout-cases.spec-support.js';
import { parseDisburse } from './payout-request.js';
import { requestFingerprint } from './request-fingerprint.js';
import { bodyOf, digestOf, PAYOUT_CASES, recipientFields, refusalOf, valueOf } from './requests.spec-support.js';
import { money } from '../money/money.js';

describe('amounts', () => {
  it.each(PAYOUT_CASES)(
    '%s: the least and the most are taken in every spelling, and one minor unit beyond is not',
    (_, one) => {
      const { currency, payouts, minorDecimals } = one;
      const { minMinor, maxMinor } = limitsOf(one);
      const judged = (minor: bigint): ReturnType<typeof parseDisburse>[] =>
        written(formatDecimal(minor, minorDecimals)).map((amount) =>
          parseDisburse(currency, { ...recipientFields(one), ...amount }),
        );
      for (const minor of [minMinor, minMinor + stepOf(one), maxMinor - stepOf(one), maxMinor]) {
        for (const parsed of judged(minor))
          expect(valueOf(parsed)).toMatchObject({
            amount: money(minor, payouts.currency),
            fee: money(0n, payouts.currency),
          });
      }
      for (const minor of [minMinor - 1n, 0n]) {
        for (const parsed of judged(minor)) {
          expect(refusalOf(parsed)).toMatchObject({
            code: 'amount_out_of_range',
            pointers: ['/amount'],
            message: expect.stringMatching(/^The amount field must be at least \d/),
          });
        }
      }
      for (const minor of [maxMinor + 1n, maxMinor * 1000n]) {
        for (const parsed of judged(minor)) {
          expect(refusalOf(parsed)).toMatchObject({
            code: 'amount_out_of_range',
            pointers: ['/amount'],
            message: expect.stringMatching(/^amount must be at most \d/),
          });
        }
      }
      // Between the limits, too many decimals are a form fault.
      const finer =
        stepOf(one) > 1n
          ? formatDecimal(minMinor + 1n, minorDecimals)
          : `${formatDecimal(minMinor, minorDecimals)}${minorDecimals === 0 ? '.' : ''}1`;
      expect(refusalOf(parseDisburse(currency, { ...recipientFields(one), amount: finer })).code).toBe(
        'invalid_request',
      );
    },
  );

  it.each(EACH.filter(([, { bankTransfer }]) => bankTransfer !== null))(
    '%s bank transfers: the same',
    (_, currency) => {
      const { minMinor, maxMinor } = currency.bankTransfer ?? { minMinor: 0n, maxMinor: 0n };
      const account = { account_number: '0123456789', bank_code: currency.banks[0]?.code };
      const judged = (minor: bigint): ReturnType<typeof parseBankTransfer>[] =>
        written(formatDecimal(minor, currency.decimals)).map((amount) =>
          parseBankTransfer(currency, { ...account, ...amount }),
        );
      for (const minor of [minMinor, minMinor + 1n, maxMinor - 1n, maxMinor])
        for (const parsed of judged(minor)) expect(valueOf(parsed).amount.minor).toBe(minor);
      for (const minor of [minMinor - 1n, maxMinor + 1n]) {
        for (const parsed of judged(minor))
          expect(refusalOf(parsed)).toMatchObject({ code: 'amount_out_of_range', pointers: ['/amount'] });
      }
    },
  );

  it.each(PAYOUT_CASES)('%s: parse(format(x)) = x, as a number and as a string', (_, one) => {
    const { minMinor, maxMinor } = limitsOf(one);
    const step = stepOf(one);
    fc.assert(
      fc.property(fc.bigInt({ min: (minMinor + step - 1n) / step, max: maxMinor / step }), (steps) => {
        const minor = steps * step;
        const text = formatDecimal(minor, one.minorDecimals);
        expect(parseDecimal(text, one.minorDecimals)).toEqual({ ok: true, value: minor });
        for (const amount of written(text)) {
          expect(valueOf(parseDisburse(one.currency, { ...recipientFields(one), ...amount })).amount.minor).toBe(minor);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('digits beyond those of a float', () => {
  const terms = applyTerms(CURRENCIES, {
    limits: [
      { operation: 'payout', currency: 'NGN', max: '9'.repeat(27) },
      { operation: 'bank_transfer', currency: 'NGN', max: '9'.repeat(27) },
    ],
    service_fees: [{ operation: 'disburse', currency: 'NGN', basis_points: 1 }],
  });
  if (!terms.ok) throw new Error(terms.error);
  const { NGN } = terms.value;
  const account = {
    account_number: '0123456789',
    bank_code: '044',
    account_name: 'Jane Doe',
    bank_name: 'Access Bank',
  };

  it('are kept from the request to the minor units, the fee and the text', () => {
    // From 2^53 kobo on, floats would merge neighbours.
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 10n ** 29n - 100n }), (minor) => {
        const text = formatDecimal(minor, 2);
        for (const sent of written(text)) {
          expect(valueOf(parseDisburse(NGN, { ...account, ...sent })).amount.minor).toBe(minor);
          expect(valueOf(parseBankTransfer(NGN, { ...account, ...sent })).amount.minor).toBe(minor);
          expect(
            valueOf(parseDisburse(NGN, { ...account, ...sent, ...bodyOf(`{"fee":${formatDecimal(minor - 1n, 2)}}`) }))
              .fee.minor,
          ).toBe(minor - 1n);
        }
        expect(serviceFee('disburse', money(minor, 'NGN'), terms.value).minor).toBe((minor + 9_999n) / 10_000n);
        const prints = [minor, minor + 1n].map((value) =>
          requestFingerprint(digestOf, 'disburse', NGN, {
            ...account,
            ...bodyOf(`{"amount":${formatDecimal(value, 2)}}`),
          }),
        );
        expect(prints[0]).not.toBe(prints[1]);
        expect(prints[0]).toBe(requestFingerprint(digestOf, 'disburse', NGN, { ...account, amount: `0${text}0` }));
      }),
    );
  });
});
