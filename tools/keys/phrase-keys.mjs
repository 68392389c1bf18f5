// The chains' libraries load slowly, so tools/keys/keys.mjs imports this only with a phrase.
import { randomBytes } from 'node:crypto';

import stellar from '@stellar/stellar-sdk';
import { encodeBase58, HDNodeWallet, Mnemonic } from 'ethers';

import { privateKeyAt, publicKeyOf } from './slip-0010.mjs';

/** One account per purpose, so that one public key reveals nothing of the other (BIP-44). */
const ACCOUNTS = [
  { purpose: 'partners', path: "m/44'/60'/0'" },
  { purpose: 'checkout', path: "m/44'/60'/1'" },
];
/** SEP-5. */
const STELLAR_PATH = "m/44'/148'/0'";
export const solanaPath = (index) => `m/44'/501'/${index}'/0'`;
const ENTROPY_BYTES = 32;

export const newPhrase = () => Mnemonic.fromEntropy(randomBytes(ENTROPY_BYTES)).phrase;

export const mnemonicOf = (text) => (Mnemonic.isValidMnemonic(text) ? Mnemonic.fromPhrase(text) : null);

export function publicKeys(mnemonic) {
  return [...evmKeys(mnemonic), `stellar\t${STELLAR_PATH}\t${stellarAccount(mnemonic)}`];
}

function stellarAccount(mnemonic) {
  const privateKey = privateKeyAt(seedOf(mnemonic), STELLAR_PATH);
  const account = stellar.StrKey.encodeEd25519PublicKey(publicKeyOf(privateKey));
  if (account !== stellar.Keypair.fromRawEd25519Seed(privateKey).publicKey())
    throw new Error('public and private keys do not belong together');
  return account;
}

const seedOf = (mnemonic) => Buffer.from(mnemonic.computeSeed().slice(2), 'hex');

export function solanaAddresses(mnemonic, count) {
  const seed = seedOf(mnemonic);
  return Array.from({ length: count }, (_, index) => encodeBase58(publicKeyOf(privateKeyAt(seed, solanaPath(index)))));
}

function evmKeys(mnemonic) {
  return ACCOUNTS.map(({ purpose, path }) => {
    const account = HDNodeWallet.fromMnemonic(mnemonic, path);
    const { extendedKey } = account.neuter();
    const first = HDNodeWallet.fromExtendedKey(extendedKey).derivePath('0/0').address;
    // Guards against the worst error: addresses whose keys do not follow from the phrase.
    if (first !== HDNodeWallet.fromMnemonic(mnemonic, `${path}/0/0`).address)
      throw new Error('public and private keys do not belong together');
    return `${purpose}\t${path}\t${extendedKey}\tfirst address ${first}`;
  });
}
