import { describe, expect, it } from '@jest/globals';
import { applyTerms, CURRENCIES, type Currencies } from '@vuka/domain';

import { PartnerTerms, type TermsInForce } from './partner-terms.js';

const ROWS = {
  limits: [{ operation: 'bank_transfer', currency: 'KES', max: '900' }],
  service_fees: [{ operation: 'disburse', currency: 'CDF', paid_in: 'USD', flat: '0.10', basis_points: 5 }],
};
const readAgain = (rows: unknown): unknown => JSON.parse(JSON.stringify(rows));

function termsOver(currencies: Currencies = CURRENCIES): { terms: PartnerTerms; logged: object[] } {
  const logged: object[] = [];
  return { terms: new PartnerTerms(currencies, { error: (fields: object) => void logged.push(fields) }), logged };
}

function inForce(terms: PartnerTerms, partnerId: number, rows: unknown): TermsInForce {
  const found = terms.of({ partnerId, terms: rows });
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

describe('the terms of a partner', () => {
  it('are the registry of the deployment if it has no terms of its own', () => {
    const { terms } = termsOver();
    const found = inForce(terms, 1, null);
    expect(found.currencies).toBe(CURRENCIES);
    expect(found.ownFee('bank_transfer', 'KES', 'KES')).toBeNull();
  });

  it('replace rows of the registry, and a fee is its own only if a row sets one', () => {
    const { currencies, ownFee } = inForce(termsOver().terms, 1, ROWS);
    expect(currencies.KES.bankTransfer?.maxMinor).toBe(900_00n);
    expect(currencies.NGN).toBe(CURRENCIES.NGN);
    expect(ownFee('disburse', 'CDF', 'USD')).toEqual({ flatMinor: 10n, basisPoints: 5n });
    expect([
      ownFee('disburse', 'CDF', 'CDF'),
      ownFee('bank_transfer', 'KES', 'KES'),
      ownFee('disburse', 'KES', 'KES'),
    ]).toEqual([null, null, null]);
  });

  it('keep their own fee even if it equals the fee of the deployment today', () => {
    const { flatMinor, basisPoints } = CURRENCIES.KES.payouts[0].serviceFee;
    const same = {
      service_fees: [
        { operation: 'disburse', currency: 'KES', flat: String(flatMinor), basis_points: Number(basisPoints) },
      ],
    };
    expect(inForce(termsOver().terms, 1, same).ownFee('disburse', 'KES', 'KES')).toEqual(
      CURRENCIES.KES.payouts[0].serviceFee,
    );
  });

  it('have velocity limits of their own only where a row is, merged over the deployment’s', () => {
    const row = { per: 'partner', currency: 'KES', window: 'day' };
    const deployed = applyTerms(CURRENCIES, { velocity_limits: [{ ...row, amount: '1000' }] });
    const { terms } = termsOver(deployed.ok ? deployed.value : CURRENCIES);
    const own = (rows: unknown) => inForce(terms, 1, rows).ownVelocityLimits('KES', 'KES');
    expect([own(null), own(ROWS)]).toEqual([null, null]);
    expect(own({ velocity_limits: [{ ...row, count: 7 }] })).toEqual([
      { per: 'partner', window: 'day', maxMinor: 1_000_00n, maxCount: 7 },
    ]);
    expect(own({ velocity_limits: [{ ...row, amount: null }] })).toEqual([]);
  });

  it('are built once for the same text, again for another text, and separately for each partner', () => {
    const { terms } = termsOver();
    const first = inForce(terms, 1, readAgain(ROWS));
    expect(inForce(terms, 1, readAgain(ROWS))).toBe(first);
    const changed = inForce(terms, 1, { limits: [{ operation: 'bank_transfer', currency: 'KES', max: '800' }] });
    expect([changed.currencies.KES.bankTransfer?.maxMinor, changed.ownFee('disburse', 'CDF', 'USD')]).toEqual([
      800_00n,
      null,
    ]);
    expect(inForce(terms, 2, readAgain(ROWS))).not.toBe(first);
  });

  it('refuse every request if they do not fit this deployment: people are told once, and no other terms are used', () => {
    const narrow = applyTerms(CURRENCIES, {
      limits: [{ operation: 'bank_transfer', currency: 'KES', min: '500', max: '600' }],
    });
    if (!narrow.ok) throw new Error(narrow.error);
    const { terms, logged } = termsOver(narrow.value);
    const rows = { limits: [{ operation: 'bank_transfer', currency: 'KES', max: '400' }] };
    for (const read of [rows, readAgain(rows)])
      expect(terms.of({ partnerId: 7, terms: read })).toMatchObject({
        ok: false,
        error: { code: 'service_unavailable' },
      });
    expect(logged).toEqual([
      { code: 'partner_terms_unusable', partner_id: 7, why: 'limits.0: min must be above 0 and not above max' },
    ]);
  });
});
