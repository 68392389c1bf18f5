import { describe, expect, it } from '@jest/globals';
import { Account, Keypair, MuxedAccount, StrKey } from '@stellar/stellar-sdk';
import fc from 'fast-check';

import { accountAddress, muxedAddress, readStellarAddress } from './stellar-address.js';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const id = fc.bigInt(0n, 2n ** 64n - 1n);
const RULE = { ok: false, error: expect.stringMatching(/^must be a Stellar address/) };

describe('an address of Stellar', () => {
  it('is what the SDK makes of a key and a number, and says both again', () => {
    fc.assert(
      fc.property(key, id, (bytes, number) => {
        const account = StrKey.encodeEd25519PublicKey(Buffer.from(bytes));
        const muxed = new MuxedAccount(new Account(account, '0'), number.toString()).accountId();
        expect(accountAddress(bytes)).toBe(account);
        expect(muxedAddress(account, number)).toBe(muxed);
        expect(readStellarAddress(account)).toEqual({ ok: true, value: { account, id: null } });
        expect(readStellarAddress(muxed)).toEqual({ ok: true, value: { account, id: number } });
      }),
      { numRuns: 200 },
    );
  });

  // SEP-23's own examples.
  it('is as its standard has it', () => {
    const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
    expect(muxedAddress(account, 0n)).toBe('MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ');
    expect(muxedAddress(account, 9223372036854775808n)).toBe(
      'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
    );
  });

  it.each([
    'GAAAAAAAACGC6',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA',
    'G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLKA',
    'M47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ======',
    'ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz',
    '',
    'G',
    'x'.repeat(100_000),
  ])('is not %#', (text) => {
    expect(readStellarAddress(text)).toMatchObject(RULE);
  });

  it('is no secret, contract or asset', () => {
    const pair = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7));
    for (const text of [
      pair.secret(),
      StrKey.encodeContract(Buffer.alloc(32, 7)),
      StrKey.encodePreAuthTx(Buffer.alloc(32, 7)),
    ])
      expect(readStellarAddress(text)).toMatchObject(RULE);
  });

  it('is refused with any one letter changed, as the SDK refuses it', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'];
    fc.assert(
      fc.property(
        key,
        id,
        fc.boolean(),
        fc.nat(68),
        fc.constantFrom(...letters),
        (bytes, number, isMuxed, place, letter) => {
          const account = accountAddress(bytes);
          const text = isMuxed ? muxedAddress(account, number) : account;
          const at = place % text.length;
          fc.pre(text[at] !== letter);
          const changed = text.slice(0, at) + letter + text.slice(at + 1);
          expect(readStellarAddress(changed).ok).toBe(
            StrKey.isValidEd25519PublicKey(changed) || StrKey.isValidMed25519PublicKey(changed),
          );
          expect(readStellarAddress(changed).ok).toBe(false);
        },
      ),
    );
  });

  it('is made of nothing else', () => {
    const account = accountAddress(new Uint8Array(32));
    expect(account).toBe(`G${'A'.repeat(52)}WHF`);
    expect(() => accountAddress(new Uint8Array(31))).toThrow(RangeError);
    expect(() => muxedAddress(muxedAddress(account, 1n), 1n)).toThrow(RangeError);
    for (const number of [-1n, 2n ** 64n]) expect(() => muxedAddress(account, number)).toThrow(RangeError);
  });
});
