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
 * AES-256-GCM, random IV. The first key seals; every key opens. Keep old keys until all is sealed again.
 * Index keys open nothing: they only say whether two texts are equal. Absent: the cipher keys (tests).
 */
export class Cipher {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  private readonly sealing: { readonly header: string; readonly key: KeyObject };
  private readonly indexKey: KeyObject;
  private readonly fingerprintKeys: readonly { readonly header: string; readonly key: KeyObject }[];

  constructor(keys: readonly CipherKey[], indexKeys: readonly CipherKey[] = keys) {
    this.keys = keysOf(keys);
    keysOf(indexKeys);
    const [first, last] = [keys[0], indexKeys.at(-1)] as [CipherKey, CipherKey];
    this.sealing = { header: `${VERSION}.${first.id}.`, key: createSecretKey(first.key) };
    this.indexKey = derived(last, 'vuka blind index');
    this.fingerprintKeys = indexKeys.map((one) => ({
      header: `${VERSION}.${one.id}.`,
      key: derived(one, 'vuka fingerprint'),
    }));
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

  /** Keyed, 43 characters. By the last index key, so a newer key changes no index. */
  blindIndex(text: string): string {
    return createHmac('sha256', this.indexKey).update(text).digest('base64url');
  }

  /**
   * One `v1.<key id>.<HMAC-SHA256>` for each index key, newest first, separated by a space. Keep the first
   * (`keptFingerprint`) and compare by `isFingerprintOf`: a print kept under an older key still matches.
   */
  fingerprint(text: string): string {
    return this.fingerprintKeys
      .map(({ header, key }) => header + createHmac('sha256', key).update(text).digest('base64url'))
      .join(' ');
  }
}

function keysOf(keys: readonly CipherKey[]): Map<string, KeyObject> {
  if (keys.length === 0) throw new Error('a cipher needs at least one key');
  for (const { id, key } of keys) {
    if (!/^[a-z0-9-]{1,32}$/.test(id)) throw new Error('a key id is 1 to 32 of a-z, 0-9 and -');
    if (key.length !== 32) throw new Error(`key ${id} must have 32 bytes, it has ${key.length}`);
  }
  const byId = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)]));
  if (byId.size !== keys.length) throw new Error('key ids must differ');
  return byId;
}

function derived({ key }: CipherKey, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
}

/** The one that is stored: by the newest index key. */
export function keptFingerprint(fingerprint: string): string {
  return fingerprint.split(' ', 1)[0] as string;
}

/** `kept`: stored earlier, maybe under an older key. */
export function isFingerprintOf(fingerprint: string, kept: string): boolean {
  return fingerprint.split(' ').includes(kept);
}

export function keyIdOf(sealed: string): string {
  return sealed.split('.', 2)[1] ?? '';
}
