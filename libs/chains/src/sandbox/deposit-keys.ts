import { HDNodeWallet, Mnemonic, randomBytes } from 'ethers';

const WORDS_FROM_BYTES = 16;
/** BIP-44: Ethereum, the first account. */
const ACCOUNT_PATH = "m/44'/60'/0'";

/** Twelve words (BIP-39) that own every deposit address of a sandbox. */
export function newMnemonic(): string {
  return Mnemonic.fromEntropy(randomBytes(WORDS_FROM_BYTES)).phrase;
}

/** The account's extended public key: all that a service is given. Throws where the words are none. */
export function accountXpub(mnemonic: string): string {
  return HDNodeWallet.fromPhrase(mnemonic, '', ACCOUNT_PATH).neuter().extendedKey;
}
