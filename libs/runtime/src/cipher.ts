import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

import { pooledRandomBytes } from './random-source.js';

export interface CipherKey {
  /** 1 to 32 of a-z, 0-9, '-'. */
  readonly id: string;
  /** 32 random bytes. */
  readonly key: Buffer;
}

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM, random IV. The first key seals; every key opens. Keep old keys until all is sealed again. The
 * last key makes the blind index.
 */
export class Cipher {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  private readonly sealing: { readonly header: string; readonly key: KeyObject };
  private readonly indexKey: KeyObject;

  constructor(keys: readonly CipherKey[]) {
    const [first, last] = [keys[0], keys.at(-1)];
    if (first === undefined || last === undefined) throw new Error('a cipher needs at least one key');
    for (const { id, key } of keys) {
      if (!/^[a-z0-9-]{1,32}$/.test(id)) throw new Error('a key id is 1 to 32 of a-z, 0-9 and -');
      if (key.length !== 32) throw new Error(`key ${id} must have 32 bytes, it has ${key.length}`);
    }
    this.keys = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)]));
    if (this.keys.size !== keys.length) throw new Error('key ids must differ');
    this.sealing = { header: `${VERSION}.${first.id}.`, key: createSecretKey(first.key) };
    this.indexKey = createSecretKey(Buffer.from(hkdfSync('sha256', last.key, '', 'vuka blind index', 32)));
  }

  /** Other keys' texts may be sealed again. */
  get sealingKeyId(): string {
    return keyIdOf(this.sealing.header);
  }

  /** `v1.<key id>.<base64url of iv, ciphertext, tag>`. `aad`: row and column. */
  seal(plaintext: string, aad: string): string {
    const { header, key } = this.sealing;
    const iv = pooledRandomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(header + aad));
    const body = Buffer.concat([iv, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return header + body.toString('base64url');
  }

  /** Throws for wrong key, wrong `aad`, changed text. */
  open(sealed: string, aad: string): string {
    const [version, id = '', text = ''] = sealed.split('.', 3);
    const key = this.keys.get(id);
    if (version !== VERSION || key === undefined) throw new Error('a sealed text names no key known here');
    const body = Buffer.from(text, 'base64url');
    if (body.length < IV_BYTES + TAG_BYTES) throw new Error('a sealed text is too short');
    const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(`${VERSION}.${id}.${aad}`));
    decipher.setAuthTag(body.subarray(body.length - TAG_BYTES));
    const plain = decipher.update(body.subarray(IV_BYTES, body.length - TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
  }

  /** Keyed, 43 characters. */
  blindIndex(text: string): string {
    return createHmac('sha256', this.indexKey).update(text).digest('base64url');
  }
}

export function keyIdOf(sealed: string): string {
  return sealed.split('.', 2)[1] ?? '';
}
