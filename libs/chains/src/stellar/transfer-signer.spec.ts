import { describe, expect, it } from '@jest/globals';
import { chainNamed, type StellarChain } from '@vuka/domain';
import { Keypair, TransactionBuilder, type Transaction } from '@stellar/stellar-sdk';
import fc from 'fast-check';

import { muxedAddress } from '../address/stellar-address.js';
import type { UnsignedTransfer } from '../outgoing.js';

import { expiryOf, meantTransaction, STELLAR_TRANSFER_SIGNER as signer, xdrOf } from './transfer-signer.js';

const CHAIN = chainNamed('STELLAR') as StellarChain;
const [wallet, other] = [1, 2].map((byte) => Keypair.fromRawEd25519Seed(Buffer.alloc(32, byte))) as [Keypair, Keypair];
const USDC = `USDC:${CHAIN.tokens[0]!.address}`;

function transferOf(more: Partial<UnsignedTransfer> = {}): UnsignedTransfer {
  const readable = {
    version: 1 as const,
    reference: 'refund-1',
    chain: 'STELLAR',
    from: wallet.publicKey(),
    to: other.publicKey(),
    token: USDC,
    symbol: 'USDC',
    decimals: 7,
    amountMinor: '12345678',
    place: '4294967297',
    terms: { fee: '1000', max_time: '1800000000' },
    ...more,
  };
  const transaction = meantTransaction(readable);
  return { ...readable, mostFeeMinor: transaction.fee, expiresAt: expiryOf(transaction), payload: xdrOf(transaction) };
}

const read = (raw: string): Transaction => TransactionBuilder.fromXDR(raw, CHAIN.networkPassphrase) as Transaction;

describe('the signer of Stellar transfers', () => {
  it('signs what its members say, and nothing else', () => {
    const unsigned = transferOf({ to: muxedAddress(other.publicKey(), 7n) });
    const signed = signer.sign(unsigned, wallet.secret());
    if (!signed.ok) throw new Error(signed.error);
    expect(read(signed.value.raw)).toMatchObject({
      source: wallet.publicKey(),
      sequence: '4294967297',
      fee: '1000',
      timeBounds: { minTime: '0', maxTime: '1800000000' },
      operations: [{ type: 'payment', destination: unsigned.to, amount: '1.2345678', asset: { code: 'USDC' } }],
    });
    expect(signer.verify(unsigned, signed.value.raw)).toEqual(signed);
    expect(signer.addressOf(wallet.secret())).toEqual({ ok: true, value: wallet.publicKey() });
  });

  it.each([
    ['another amount', { amountMinor: '12345679' }],
    ['another recipient', { to: wallet.publicKey() }],
    ['another place', { place: '4294967298' }],
    ['another end', { terms: { fee: '1000', max_time: '1800000001' } }],
    ['another fee', { terms: { fee: '999', max_time: '1800000000' } }],
    ['another fee in words', { mostFeeMinor: '1' }],
    ['another end in words', { expiresAt: '2030-01-01T00:00:00.000Z' }],
    ['another token', { token: `EURC:${CHAIN.tokens[2]!.address}`, symbol: 'EURC' }],
    ['a token that is not listed', { token: `USDC:${other.publicKey()}` }],
    ["a symbol that is not the token's", { symbol: 'USDT' }],
    ['another chain', { chain: 'CELO' }],
    ['a recipient that is none', { to: 'GABC' }],
    ['nothing to pay', { amountMinor: '0' }],
  ])('refuses %s than its payload has', (_, more) => {
    const forged = { ...transferOf(), ...more };
    expect(signer.sign(forged, wallet.secret())).toMatchObject({ ok: false });
    const signed = signer.sign(transferOf(), wallet.secret());
    expect(signed.ok && signer.verify(forged, signed.value.raw)).toMatchObject({ ok: false });
  });

  it('refuses keys of others, and what others signed', () => {
    const unsigned = transferOf();
    expect(signer.sign(unsigned, other.secret())).toEqual({
      ok: false,
      error: `the key belongs to ${other.publicKey()}, but ${wallet.publicKey()} must pay`,
    });
    expect(signer.sign(unsigned, 'S123')).toMatchObject({ ok: false });
    const transaction = read(unsigned.payload);
    expect(signer.verify(unsigned, unsigned.payload)).toEqual({ ok: false, error: 'it is not signed' });
    transaction.sign(other);
    expect(signer.verify(unsigned, xdrOf(transaction))).toMatchObject({ ok: false });
    transaction.sign(wallet);
    expect(signer.verify(unsigned, xdrOf(transaction))).toMatchObject({ ok: false });
    const bump = TransactionBuilder.buildFeeBumpTransaction(
      other,
      '5000',
      read(unsigned.payload),
      CHAIN.networkPassphrase,
    );
    bump.sign(other);
    expect(signer.verify(unsigned, bump.toEnvelope().toXDR('base64'))).toMatchObject({ ok: false });
    expect(signer.verify(unsigned, 'AAAA')).toMatchObject({ ok: false, error: 'it is not a signed transaction' });
  });

  it('never lets a secret or a payload into its words', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const told = [
          signer.sign({ ...transferOf(), payload: `swordfish${text}` }, wallet.secret()),
          signer.sign(transferOf(), `Swordfish${text}`),
          signer.verify(transferOf(), `swordfish${text}`),
        ];
        for (const one of told) expect(one.ok ? '' : one.error).not.toMatch(/swordfish/i);
        for (const one of told) expect(one.ok ? '' : one.error).not.toContain(wallet.secret());
      }),
      { numRuns: 50 },
    );
  });
});
