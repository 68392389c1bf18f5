import { fail, ok, type Result } from '@vuka/domain';
import { decodeBase58, getAddress, HDNodeWallet, sha256, toBeHex, type HDNodeVoidWallet } from 'ethers';

/** A text that is no extended public key of an account. The message never repeats the text: it may be a secret in the wrong place. */
export class XpubError extends Error {
  override readonly name = 'XpubError';
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Of `m/44'/60'/account'`. */
const ACCOUNT_DEPTH = 3;
const KEY_BYTES = 78;
const CHECKSUM_BYTES = 4;
const FIRST_HARDENED = 0x8000_0000;
/** Of BIP-44: addresses that are given to others. Wallets and signers look there. */
const RECEIVING = 0;

/** EIP-55. The error is the rule that the text breaks. */
export function checksumAddress(text: string): Result<string, string> {
  if (!ADDRESS.test(text)) return fail('must be 0x and 40 hexadecimal digits');
  try {
    return ok(getAddress(text));
  } catch {
    return fail('must be spelt as its checksum has it (EIP-55), or in lower case');
  }
}

/** That `text` is the xpub of an account, `m/44'/60'/n'`. Throws XpubError, which tells the rule alone. */
export function assertXpub(text: string): void {
  accountOf(text);
}

/**
 * The address, in EIP-55, of `m/44'/60'/n'/0/index` where `xpub` is that of the account n (BIP-32, BIP-44): public keys alone.
 * `index`: from 0 to 2^31 - 1; others are hardened and need the private key. Throws XpubError, RangeError. Takes about 2 ms.
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
      // No point of the curve, or of another network; our words follow.
    }
  }
  throw new XpubError('must be an extended public key (xpub…), whole and without a typing error');
}

/**
 * Whether its own checksum holds (BIP-32: 78 bytes, and the first 4 of their double SHA-256). ethers 6.17 takes a key of the right length
 * without looking at it, and a mistyped key gives addresses that nobody has the keys of.
 */
function isWhole(text: string): boolean {
  if (!/^[xt](pub|prv)[1-9A-HJ-NP-Za-km-z]{107}$/.test(text)) return false;
  const key = toBeHex(decodeBase58(text), KEY_BYTES + CHECKSUM_BYTES);
  const payload = key.slice(0, 2 + 2 * KEY_BYTES);
  return sha256(sha256(payload)).slice(2, 2 + 2 * CHECKSUM_BYTES) === key.slice(-2 * CHECKSUM_BYTES);
}
