import { encodeBase58, HDNodeWallet, Mnemonic, randomBytes } from 'ethers';

import { accountAddress } from '../address/stellar-address.js';
import { newEd25519Key } from '../ed25519-key.js';

/** One key (ed25519): base64url of its private half, and the address that everybody may know. */
export interface AddressKey {
  readonly secret: string;
  readonly address: string;
}

const WORDS_FROM_BYTES = 16;
/** BIP-44: Ethereum, the first account. */
const ACCOUNT_PATH = "m/44'/60'/0'";

/** Twelve words (BIP-39) that own every EVM deposit address of a sandbox. */
export function newMnemonic(): string {
  return Mnemonic.fromEntropy(randomBytes(WORDS_FROM_BYTES)).phrase;
}

/** The account's extended public key: all that a service is given. Throws where the words are none. */
export function accountXpub(mnemonic: string): string {
  return HDNodeWallet.fromPhrase(mnemonic, '', ACCOUNT_PATH).neuter().extendedKey;
}

/** A wallet of Solana. */
export function newSolanaKey(): AddressKey {
  const { seed, publicKey } = newEd25519Key();
  return { secret: seed.toString('base64url'), address: encodeBase58(publicKey) };
}

/** An account of Stellar, G…. */
export function newStellarKey(): AddressKey {
  const { seed, publicKey } = newEd25519Key();
  return { secret: seed.toString('base64url'), address: accountAddress(publicKey) };
}
