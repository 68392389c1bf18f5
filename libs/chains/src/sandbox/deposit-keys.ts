import { generateKeyPairSync } from 'node:crypto';

import { encodeBase58, HDNodeWallet, Mnemonic, randomBytes } from 'ethers';

import { accountAddress } from '../address/stellar-address.js';

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
  const { secret, publicKey } = newKey();
  return { secret, address: encodeBase58(publicKey) };
}

/** An account of Stellar, G…. */
export function newStellarKey(): AddressKey {
  const { secret, publicKey } = newKey();
  return { secret, address: accountAddress(publicKey) };
}

function newKey(): { readonly secret: string; readonly publicKey: Buffer } {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  if (d === undefined || x === undefined) throw new Error('a key without its halves');
  return { secret: d, publicKey: Buffer.from(x, 'base64url') };
}
