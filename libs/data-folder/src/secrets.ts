import { hkdfSync, randomBytes } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';

import { BootError, Cipher, type CipherKey } from '@vuka/runtime';
import { z } from 'zod';

import { exists, type DataFolder } from './data-folder.js';
import { writeDurably } from './durable-file.js';

const ROOT_BYTES = 32;
/** As many as a service's secrets file holds (libs/service-host). */
const MOST_CIPHER_KEYS = 20;

const secretsFile = z.object({
  version: z.literal(1),
  /** Play money and real money never share a folder. */
  env: z.enum(['sandbox', 'live']),
  /** Everything secret is derived from it. Base64url of 32 random bytes. */
  root: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** How many cipher keys each service has: the newest seals. Absent: one. */
  cipher_version: z.int().min(1).max(MOST_CIPHER_KEYS).default(1),
});

/**
 * Everything secret of this installation, derived (HKDF-SHA-256) from one random root: one thing to keep, and a new
 * purpose needs no new file. None of the derived values tells the root or another one.
 */
export class Secrets {
  constructor(
    private readonly root: Buffer,
    private readonly cipherVersion = 1,
  ) {}

  /** Of the keyed hash that API keys are stored as. */
  get keyPepper(): Buffer {
    return this.derive('api key pepper');
  }

  /** Of the sandbox provider's API. */
  get providerCredential(): string {
    return `sbx_${this.derive('sandbox provider credential').toString('base64url')}`;
  }

  /** Of the second sandbox provider's: neither opens the other. */
  get secondProviderCredential(): string {
    return `sbx_${this.derive('second sandbox provider credential').toString('base64url')}`;
  }

  databasePassword(service: string): string {
    return this.derive(`database password of ${service}`).toString('base64url');
  }

  /** Of a server that the services share, for whoever sets it up: PostgreSQL's superuser, Redis. */
  serverPassword(server: string): string {
    return this.derive(`server password of ${server}`).toString('base64url');
  }

  /** One cipher per service: what one of them sealed, no other can open. */
  cipherOf(service: string): Cipher {
    return new Cipher(this.cipherKeysOf(service));
  }

  /** The keys of that cipher, for a service that runs in a process of its own: the newest first, and last the one that lookups are made of. */
  cipherKeysOf(service: string): CipherKey[] {
    const ids = Array.from({ length: this.cipherVersion }, (_, place) => `k${String(this.cipherVersion - place)}`);
    return ids.map((id) => ({ id, key: this.derive(`sealed columns of ${service}, ${id}`) }));
  }

  /** What a caller of internal HTTP shows; each has its own. */
  internalCredential(caller: string): string {
    return this.derive(`internal credential of ${caller}`).toString('base64url');
  }

  /** The secret part of a sandbox partner's API key, the same at every start. */
  sandboxKeySecret(partner: string, kind: 'consumer' | 'checkout'): string {
    return this.derive(`sandbox ${kind} key of ${partner}`).toString('hex');
  }

  private derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.root, '', `vuka ${purpose}`, ROOT_BYTES));
  }
}

/**
 * Reads the folder's secrets; a new folder gets its own. Throws BootError where they are missing or unreadable, and
 * where the folder belongs to the other environment.
 */
export async function loadSecrets(folder: DataFolder, env: 'sandbox' | 'live'): Promise<Secrets> {
  if (!(await exists(folder.secretsFile))) await makeSecrets(folder, env);
  await chmod(folder.secretsFile, 0o600);
  const parsed = secretsFile.safeParse(parseJson(await readFile(folder.secretsFile, 'utf8')));
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole of it').join(', ');
    throw new BootError(`${folder.secretsFile} cannot be read: ${fields} is not as written by Vuka.`, advice(folder));
  }
  if (parsed.data.env !== env) {
    throw new BootError(
      `The data folder ${folder.path} belongs to VUKA_ENV=${parsed.data.env}, and this start is VUKA_ENV=${env}.`,
      'Give each its own folder with VUKA_DATA_DIR.',
    );
  }
  return new Secrets(Buffer.from(parsed.data.root, 'base64url'), parsed.data.cipher_version);
}

/**
 * Gives every service a new cipher key in front of those it has, and says which. For who holds the folder's lock, with nothing at work on it: a process that has
 * not got the new key opens nothing that it seals. Throws BootError where the file is not as written by Vuka, or has as many keys as it holds.
 */
export async function addCipherKey(folder: DataFolder): Promise<string> {
  const parsed = secretsFile.safeParse(parseJson(await readFile(folder.secretsFile, 'utf8')));
  if (!parsed.success) throw new BootError(`${folder.secretsFile} is not as written by Vuka.`, advice(folder));
  const version = parsed.data.cipher_version + 1;
  if (version > MOST_CIPHER_KEYS)
    throw new BootError(
      `${folder.secretsFile} has ${String(MOST_CIPHER_KEYS)} cipher keys already, and holds no more.`,
      'Nothing was changed.',
    );
  await writeDurably(folder.secretsFile, `${JSON.stringify({ ...parsed.data, cipher_version: version }, null, 2)}\n`);
  return `k${String(version)}`;
}

async function makeSecrets(folder: DataFolder, env: 'sandbox' | 'live'): Promise<void> {
  // New secrets beside an old database would lock everybody out, and unseal nothing.
  if (!folder.isNew)
    throw new BootError(`${folder.secretsFile} is missing, but there is a database beside it.`, advice(folder));
  const root = randomBytes(ROOT_BYTES).toString('base64url');
  await writeDurably(folder.secretsFile, `${JSON.stringify({ version: 1, env, root }, null, 2)}\n`);
}

function advice(folder: DataFolder): string {
  return `Put the file back from a backup. To begin anew, losing everything in it, remove the folder ${folder.path}.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
