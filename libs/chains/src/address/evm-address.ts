import { fail, ok, type Result } from '@vuka/domain';
import { decodeBase58, getAddress, HDNodeWallet, sha256, toBeHex, type HDNodeVoidWallet } from 'ethers';

/** The message never repeats the text: it may be a secret. */
export class XpubError extends Error {
  override readonly name = 'XpubError';
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Depth of `m/44'/60'/account'`. */
const ACCOUNT_DEPTH = 3;
const KEY_BYTES = 78;
const CHECKSUM_BYTES = 4;
const FIRST_HARDENED = 0x8000_0000;
/** BIP-44 external chain, where wallets look. */
const RECEIVING = 0;

/** EIP-55. The error is the broken rule. */
export function checksumAddress(text: string): Result<string, string> {
  if (!ADDRESS.test(text)) return fail('must be 0x and 40 hexadecimal digits');
  try {
    return ok(getAddress(text));
  } catch {
    return fail('must be spelt as its checksum has it (EIP-55), or in lower case');
  }
}

/** Throws XpubError unless `text` is the xpub of `m/44'/60'/n'`. */
export function assertXpub(text: string): void {
  accountOf(text);
}

/**
 * EIP-55 address of `m/44'/60'/n'/0/index`, by public keys only (BIP-32). `index`: 0 to 2^31 - 1; higher ones
 * need the private key.
 * Throws XpubError, RangeError. Takes about 2 ms.
 */
export function deriveEvmAddress(xpub: string, index: number): string {
  if (!Number.isInteger(index) || index < 0 || index >= FIRST_HARDENED)
    throw new RangeError('the index of an address must be a whole number from 0 to 2147483647');
  return accountOf(xpub).deriveChild(RECEIVING).deriveChild(index).address;
}

function accountOf(text: string): HDNodeVoidWallet {
  const node = nodeOf(text);
  if (node instanceof HDNodeWallet)
    throw new XpubError('must be an extended public key (xpub…); this is a private one, and no service may hold one');
  if (node.depth !== ACCOUNT_DEPTH || node.index < FIRST_HARDENED)
    throw new XpubError("must be the extended public key of an account, m/44'/60'/n' (npm run keys)");
  return node;
}

function nodeOf(text: string): HDNodeWallet | HDNodeVoidWallet {
  if (isWhole(text)) {
    try {
      return HDNodeWallet.fromExtendedKey(text);
    } catch {
      // No point of the curve, or another network.
    }
  }
  throw new XpubError('must be an extended public key (xpub…), whole and without a typing error');
}

/**
 * ethers 6.17 does not verify the checksum (BIP-32), and nobody has the private keys of a mistyped xpub's
 * addresses.
 */
function isWhole(text: string): boolean {
  if (!/^[xt](pub|prv)[1-9A-HJ-NP-Za-km-z]{107}$/.test(text)) return false;
  const key = toBeHex(decodeBase58(text), KEY_BYTES + CHECKSUM_BYTES);
  const payload = key.slice(0, 2 + 2 * KEY_BYTES);
  return sha256(sha256(payload)).slice(2, 2 + 2 * CHECKSUM_BYTES) === key.slice(-2 * CHECKSUM_BYTES);
}
