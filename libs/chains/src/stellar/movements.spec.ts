import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { MalformedAnswerError } from '../reader/json-values.js';

import { movementsTo, type Movement } from './movements.js';

const US = 'GCATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZI55U';
const THEM = 'GCFIRY65OQE7DFP5KLNS2PF2LVZMUZYJX4OZIEQ36N2IQANUB5XVYOJR';
const ISSUER = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const [OUTER, INNER] = ['a'.repeat(64), 'b'.repeat(64)];
const LEDGER = 59_000_000;
const tokenOf = (operation: number): string => String((BigInt(LEDGER) << 32n) | (5n << 12n) | BigInt(operation));

const ASSET = { asset_type: 'credit_alphanum4', asset_code: 'USDC', asset_issuer: ISSUER };
const BASE = { paging_token: tokenOf(3), transaction_hash: OUTER, transaction_successful: true };
const PAYMENT = { ...BASE, type: 'payment', ...ASSET, from: THEM, to: US, amount: '12.5000000' };
const CHANGE = { ...ASSET, type: 'transfer', from: THEM, to: US, amount: '12.5000000' };
const CALL = { ...BASE, type: 'invoke_host_function', asset_balance_changes: [CHANGE] };
const MOVEMENT: Movement = {
  token: `USDC:${ISSUER}`,
  from: THEM,
  value: 125_000_000n,
  ordinal: 2_000,
  muxedId: undefined,
};

const read = (record: Record<string, unknown>): readonly Movement[] =>
  movementsTo(US, record, { hashes: new Set([OUTER, INNER]), ledger: LEDGER });

describe('what an operation brings an account of Stellar', () => {
  it.each([
    ['payment', PAYMENT],
    [
      'path_payment_strict_send',
      {
        ...PAYMENT,
        type: 'path_payment_strict_send',
        source_amount: '99.0000000',
        source_asset_type: 'native',
        destination_min: '1.0000000',
      },
    ],
    [
      'path_payment_strict_receive',
      { ...PAYMENT, type: 'path_payment_strict_receive', source_amount: '99.0000000', source_max: '100.0000000' },
    ],
    ["a contract's transfer", CALL],
    ['one under the inner hash', { ...PAYMENT, transaction_hash: INNER }],
  ])('%s', (_, record) => {
    expect(read(record)).toEqual([MOVEMENT]);
  });

  it('has the number of the muxed address, by either name', () => {
    expect(read({ ...PAYMENT, to_muxed: 'M…', to_muxed_id: '420' })).toEqual([{ ...MOVEMENT, muxedId: 420n }]);
    expect(
      read({ ...CALL, asset_balance_changes: [{ ...CHANGE, destination_muxed_id: '18446744073709551615' }] }),
    ).toEqual([{ ...MOVEMENT, muxedId: 2n ** 64n - 1n }]);
  });

  it('has the number zero where the address is there and its number left out', () => {
    expect(read({ ...PAYMENT, to_muxed: 'M…' })).toEqual([{ ...MOVEMENT, muxedId: 0n }]);
  });

  it.each([
    ['a text of the same digits', { destination_muxed_id: '420', destination_muxed_id_type: 'string' }],
    ['bytes', { destination_muxed_id: '420', destination_muxed_id_type: 'bytes' }],
    ['a text', { destination_muxed_id: 'hello' }],
    ['a number beyond 64 bits', { destination_muxed_id: '18446744073709551616' }],
    ['a number that is no text', { destination_muxed_id: 420 }],
  ])('has no number by %s of a contract, and is told all the same', (_, told) => {
    expect(read({ ...CALL, asset_balance_changes: [{ ...CHANGE, ...told }] })).toEqual([
      { ...MOVEMENT, muxedId: 'other' },
    ]);
    expect(
      read({
        ...CALL,
        asset_balance_changes: [{ ...CHANGE, destination_muxed_id: '420', destination_muxed_id_type: 'UINT64' }],
      }),
    ).toEqual([{ ...MOVEMENT, muxedId: 420n }]);
  });

  it("is each of a contract's transfers to it, by their places", () => {
    const changes = [
      { ...CHANGE, to: THEM, from: US },
      CHANGE,
      { ...CHANGE, type: 'mint' },
      { ...CHANGE, type: 'clawback' },
      { ...CHANGE, amount: '0.0000001' },
    ];
    expect(read({ ...CALL, asset_balance_changes: changes })).toEqual([
      { ...MOVEMENT, ordinal: 2_001 },
      { ...MOVEMENT, ordinal: 2_004, value: 1n },
    ]);
    expect(read({ ...CALL, asset_balance_changes: undefined })).toEqual([]);
  });

  it.each([
    ['to another', { ...PAYMENT, to: THEM }],
    ['from ourselves', { ...PAYMENT, from: US }],
    ["of the network's coin", { ...PAYMENT, asset_type: 'native' }],
    ['of nothing', { ...PAYMENT, amount: '0.0000000' }],
    [
      'a claimable balance',
      {
        ...BASE,
        type: 'create_claimable_balance',
        asset: `USDC:${ISSUER}`,
        amount: '5.0000000',
        claimants: [{ destination: US }],
      },
    ],
    ['an account that is merged into ours', { ...BASE, type: 'account_merge', account: THEM, into: US }],
    [
      'an account that is made',
      { ...BASE, type: 'create_account', account: US, funder: THEM, starting_balance: '5.0000000' },
    ],
    ['an operation that comes later', { ...PAYMENT, type: 'payment_of_tomorrow' }],
  ])('is nothing by one %s', (_, record) => {
    expect(read(record)).toEqual([]);
  });

  it.each([
    ['of another transaction', { ...PAYMENT, transaction_hash: 'c'.repeat(64) }],
    ['that failed', { ...PAYMENT, transaction_successful: false }],
    ['that does not say that it succeeded', { ...PAYMENT, transaction_successful: undefined }],
    ['of another ledger', { ...PAYMENT, paging_token: String((BigInt(LEDGER + 1) << 32n) | 1n) }],
    ['without a place', { ...PAYMENT, paging_token: tokenOf(0) }],
    ['with a number for an amount', { ...PAYMENT, amount: 12.5 }],
    ['with an asset without issuer', { ...PAYMENT, asset_issuer: undefined }],
    ['with an asset of an unknown type', { ...PAYMENT, asset_type: 'liquidity_pool_shares' }],
    ['with a muxed id that is none', { ...PAYMENT, to_muxed_id: '-1' }],
    ['with a muxed id beyond 64 bits', { ...PAYMENT, to_muxed_id: '18446744073709551616' }],
    ['with changes that are no list', { ...CALL, asset_balance_changes: {} }],
  ])('is not believed by one %s', (_, record) => {
    expect(() => read(record)).toThrow(MalformedAnswerError);
  });

  it('is to the minor unit what is written, and nothing that is written otherwise', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (minor) => {
        const digits = String(minor).padStart(8, '0');
        const amount = `${digits.slice(0, -7)}.${digits.slice(-7)}`;
        expect(read({ ...PAYMENT, amount })).toEqual([{ ...MOVEMENT, value: minor }]);
        for (const wrong of [
          amount.slice(0, -1),
          `${amount}0`,
          `+${amount}`,
          `-${amount}`,
          ` ${amount}`,
          `${amount}e1`,
          amount.replace('.', ','),
          amount.replace('.', ''),
        ]) {
          expect(() => read({ ...PAYMENT, amount: wrong })).toThrow(MalformedAnswerError);
        }
      }),
    );
  });

  it('throws nothing but that it does not believe, whatever is sent', () => {
    const keys = [...Object.keys(PAYMENT), 'asset_balance_changes', 'to_muxed_id'];
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(...keys),
          fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.object()),
        ),
        (changed) => {
          try {
            for (const { value } of read({ ...PAYMENT, ...changed })) expect(value).toBeGreaterThan(0n);
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedAnswerError);
          }
        },
      ),
    );
  });
});
