import { describe, expect, it } from '@jest/globals';

import type { ChainFamily } from '../chain/chain.js';
import { CHAINS } from '../chain/registry.js';
import { requestFingerprint } from './request-fingerprint.js';
import { parseRefund } from './refund-request.js';
import { digestOf, refusalOf as refusalIn, valueOf } from './requests.spec-support.js';

const HASHES: Readonly<Record<ChainFamily, string>> = {
  evm: `0x${'ab'.repeat(32)}`,
  stellar: 'c4'.repeat(32),
  solana: '5'.repeat(88),
};
const ADDRESSES: Readonly<Record<ChainFamily, string>> = {
  evm: `0x${'aB'.repeat(20)}`,
  stellar: `G${'A'.repeat(55)}`,
  solana: '1'.repeat(32),
};

const ANY = { orderId: null, reference: null };

const read = (fields: object): unknown => valueOf(parseRefund({ ...fields }));
const refusalOf = (fields: object): ReturnType<typeof refusalIn> => refusalIn(parseRefund({ ...fields }));

describe('parseRefund', () => {
  it.each(CHAINS.map(({ name, family }) => [name, family] as const))(
    'reads a transfer of %s, of %s, and an address there',
    (chain, family) => {
      const expected = { chain, transactionHash: HASHES[family], refundAddress: null, ...ANY };
      expect(read({ chain: chain.toLowerCase(), transaction_hash: HASHES[family] })).toEqual(expected);
      expect(read({ chain, transaction_hash: HASHES[family], refund_address: ADDRESSES[family] })).toEqual({
        ...expected,
        refundAddress: ADDRESSES[family],
      });
    },
  );

  it('means CELO where no chain is sent, and the canonical name of the transfer', () => {
    const expected = { chain: 'CELO', transactionHash: HASHES.evm, refundAddress: null, ...ANY };
    expect(
      read({ transaction_hash: 'AB'.repeat(32), chain: '', refund_address: '', order_id: '', reference: '' }),
    ).toEqual(expected);
    expect(
      read({
        transaction_hash: HASHES.evm,
        chain: null,
        refund_address: null,
        amount: '1',
        order_id: null,
        reference: null,
      }),
    ).toEqual(expected);
  });

  it('reads which order or payment is meant', () => {
    expect(read({ transaction_hash: HASHES.evm, order_id: 'Order:1' })).toMatchObject({
      orderId: 'Order:1',
      reference: null,
    });
    expect(read({ transaction_hash: HASHES.evm, reference: 'pay-1' })).toMatchObject({
      orderId: null,
      reference: 'pay-1',
    });
    for (const wrong of [5, 'a b', 'x'.repeat(101), ['a']]) {
      expect(refusalOf({ transaction_hash: HASHES.evm, order_id: wrong, reference: wrong })).toMatchObject({
        code: 'invalid_request',
        pointers: ['/order_id', '/reference'],
      });
    }
  });

  it('refuses what is no chain, no transfer and no address of it, all at once', () => {
    expect(refusalOf({})).toMatchObject({ code: 'invalid_request', message: 'transaction_hash is required' });
    expect(refusalOf({ chain: 'TRON', transaction_hash: HASHES.evm })).toMatchObject({ code: 'unsupported_network' });
    const wrong = refusalOf({ chain: 'SOLANA', transaction_hash: HASHES.evm, refund_address: ADDRESSES.evm });
    expect(wrong).toMatchObject({ code: 'invalid_request', pointers: ['/transaction_hash', '/refund_address'] });
    expect(refusalOf({ transaction_hash: HASHES.evm, refund_address: 'x'.repeat(129) })).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('is the same request by its fields as sent', () => {
    const print = (fields: object): string =>
      requestFingerprint(digestOf, 'refund', { code: '', payouts: [] }, { ...fields });
    const base = print({ chain: 'CELO', transaction_hash: HASHES.evm });
    expect(base).toBe(print({ transaction_hash: HASHES.evm, chain: 'CELO', refund_address: '', amount: '5' }));
    expect(base).not.toBe(print({ chain: 'CELO', transaction_hash: HASHES.evm, refund_address: ADDRESSES.evm }));
    const others = [{ order_id: 'a' }, { order_id: 'b' }, { reference: 'a' }].map((named) =>
      print({ chain: 'CELO', transaction_hash: HASHES.evm, ...named }),
    );
    expect(new Set([base, ...others]).size).toBe(4);
    // Stored keys use this old value.
    expect(base).toBe('v1:GTeE__3OJANpZW5ncAl6BmEaRcpIrabwzhAZHS6q8E4');
  });
});
