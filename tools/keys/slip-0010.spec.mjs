import { describe, expect, it } from '@jest/globals';

import { privateKeyAt, publicKeyOf } from './slip-0010.mjs';

const SEED = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

describe('SLIP-0010 for ed25519', () => {
  it.each([
    [
      'm',
      '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7',
      'a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed',
    ],
    [
      "m/0'",
      '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3',
      '8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c',
    ],
    [
      "m/0'/1'",
      'b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2',
      '1932a5270f335bed617d5b935c80aedb1a35bd9fc1e31acafd5372c30f5c1187',
    ],
  ])('has at %s the keys of its standard', (path, privateKey, publicKey) => {
    const key = privateKeyAt(SEED, path);
    expect(key.toString('hex')).toBe(privateKey);
    expect(publicKeyOf(key).toString('hex')).toBe(publicKey);
  });

  it.each(['m/0', "44'/148'/0'", "m/2147483648'", 'm/', ''])('has no key at %j', (path) => {
    expect(() => privateKeyAt(SEED, path)).toThrow(RangeError);
  });
});
