// SLIP-0010 for ed25519: all children are hardened, so public keys cannot be derived from a public key.
import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';

const HARDENED = 0x8000_0000;
/** PKCS #8 around a private key of ed25519 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The 32-byte private key at a path like `m/44'/148'/0'` for a seed (BIP-39: 64 bytes). Throws RangeError on other
 * paths.
 */
export function privateKeyAt(seed, path) {
  if (!/^m(\/\d+')*$/.test(path)) throw new RangeError('ed25519 has hardened children alone');
  let node = nodeOf('ed25519 seed', seed);
  for (const step of path.split('/').slice(1)) {
    const index = Number(step.slice(0, -1));
    if (index >= HARDENED) throw new RangeError('the number of a child is below 2^31');
    const data = Buffer.concat([Buffer.of(0), node.key, Buffer.alloc(4)]);
    data.writeUInt32BE(HARDENED + index, 33);
    node = nodeOf(node.chainCode, data);
  }
  return node.key;
}

export function publicKeyOf(privateKey) {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, privateKey]), format: 'der', type: 'pkcs8' });
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x, 'base64url');
}

function nodeOf(key, data) {
  const digest = createHmac('sha512', key).update(data).digest();
  return { key: digest.subarray(0, 32), chainCode: digest.subarray(32) };
}
