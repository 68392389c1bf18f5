import { encodeBase58, HDNodeWallet, Mnemonic, randomBytes } from 'ethers';

import { accountAddress } from '../address/stellar-address.js';
import { newEd25519Key } from '../ed25519-key.js';

/** Base64url of the private half. */
export interface AddressKey {
  readonly secret: string;
  readonly address: string;
}

const WORDS_FROM_BYTES = 16;
/** BIP-44: Ethereum, first account. */
const ACCOUNT_PATH = "m/44'/60'/0'";

/** BIP-39, for all EVM deposit addresses of a sandbox. */
export function newMnemonic(): string {
  return Mnemonic.fromEntropy(randomBytes(WORDS_FROM_BYTES)).phrase;
}

/** The only key given to a service. Throws on invalid words. */
export function accountXpub(mnemonic: string): string {
  return HDNodeWallet.fromPhrase(mnemonic, '', ACCOUNT_PATH).neuter().extendedKey;
}

export function newSolanaKey(): AddressKey {
  const { seed, publicKey } = newEd25519Key();
  return { secret: seed.toString('base64url'), address: encodeBase58(publicKey) };
}

export function newStellarKey(): AddressKey {
  const { seed, publicKey } = newEd25519Key();
  return { secret: seed.toString('base64url'), address: accountAddress(publicKey) };
}
