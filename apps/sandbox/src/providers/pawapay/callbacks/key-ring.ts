import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'pawapay-keys.json';
const NUMBER_BYTES = 32;

/** As GET /v2/public-key/http lists them [I]. */
export interface PublishedKey {
  readonly id: string;
  /** PEM, SPKI. */
  readonly key: string;
}

export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** P-256 keys that callbacks are signed by. The newest signs, all are published; a restart keeps them. */
export class KeyRing {
  readonly #stranger = newKey();
  #saving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly keys: KeyObject[],
  ) {}

  static async open(folder: string): Promise<KeyRing> {
    const path = join(folder, FILE);
    const text = await readFile(path, 'utf8').catch(() => null);
    const keys = text === null ? [] : (JSON.parse(text) as string[]).map((pem) => createPrivateKey(pem));
    const ring = new KeyRing(path, keys);
    if (keys.length === 0) ring.rotate();
    await ring.saved();
    return ring;
  }

  get current(): SigningKey {
    return { id: idOf(this.keys.length), key: this.keys.at(-1) as KeyObject };
  }

  /** Another's key under the name of the current one. */
  get forged(): SigningKey {
    return { id: this.current.id, key: this.#stranger };
  }

  rotate(): void {
    this.keys.push(newKey());
    const pems = this.keys.map((key) => key.export({ type: 'pkcs8', format: 'pem' }));
    this.#saving = this.#saving.then(() => writeFile(this.path, JSON.stringify(pems), { mode: 0o600 }));
  }

  published(): PublishedKey[] {
    return this.keys.map((key, index) => ({
      id: idOf(index + 1),
      key: String(createPublicKey(key).export({ type: 'spki', format: 'pem' })),
    }));
  }

  saved(): Promise<void> {
    return this.#saving;
  }
}

const idOf = (n: number): string => `HTTP_EC_P256_KEY:${n}`;

/** By its numbers: a key of generateKeyPair may deadlock when it is exported (Node 20). */
function newKey(): KeyObject {
  const pair = createECDH('prime256v1');
  const point = pair.generateKeys();
  const text = (bytes: Buffer): string => bytes.toString('base64url');
  const d = Buffer.concat([Buffer.alloc(NUMBER_BYTES), pair.getPrivateKey()]).subarray(-NUMBER_BYTES);
  const [x, y] = [point.subarray(1, 1 + NUMBER_BYTES), point.subarray(1 + NUMBER_BYTES)];
  const jwk = { kty: 'EC', crv: 'P-256', d: text(d), x: text(x), y: text(y) };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}
