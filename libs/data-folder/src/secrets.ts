import { hkdfSync, randomBytes } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';

import { BootError, Cipher, type CipherKey, type SigningKey, signingKeyOf } from '@vuka/runtime';
import { z } from 'zod';

import { exists, type DataFolder } from './data-folder.js';
import type { SandboxProviderId } from './deployment/sandbox-providers.js';
import { writeDurably } from './durable-file.js';

const ROOT_BYTES = 32;
/** Limit of a service's secrets file (libs/service-host). */
const MOST_CIPHER_KEYS = 20;

const secretsFile = z.object({
  version: z.literal(1),
  /** Play money and real money never share a folder. */
  env: z.enum(['sandbox', 'live']),
  /** Base64url of 32 random bytes; all secrets derive from it. */
  root: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** Keys per service; the newest seals. */
  cipher_version: z.int().min(1).max(MOST_CIPHER_KEYS).default(1),
});

/** All secrets, derived by HKDF-SHA-256 from one root. No derived value reveals the root or another. */
export class Secrets {
  constructor(
    private readonly root: Buffer,
    private readonly cipherVersion = 1,
  ) {}

  /** For the hash of stored API keys. */
  get keyPepper(): Buffer {
    return this.derive('api key pepper');
  }

  /** Member `providers` of a service's secrets file, by the names that the sandbox's providers file gives. */
  get providers(): Readonly<Record<SandboxProviderId, { readonly credential: string }>> {
    const credential = (purpose: string): string => `sbx_${this.derive(purpose).toString('base64url')}`;
    return {
      sandbox: { credential: credential('sandbox provider credential') },
      sandbox_b: { credential: credential('second sandbox provider credential') },
    };
  }

  databasePassword(service: string): string {
    return this.derive(`database password of ${service}`).toString('base64url');
  }

  /** For shared servers: PostgreSQL's superuser, Redis. */
  serverPassword(server: string): string {
    return this.derive(`server password of ${server}`).toString('base64url');
  }

  /** No service can open what another sealed. */
  cipherOf(service: string): Cipher {
    return new Cipher(this.cipherKeysOf(service));
  }

  /** Newest first; lookups are made with the last. */
  cipherKeysOf(service: string): CipherKey[] {
    const ids = Array.from({ length: this.cipherVersion }, (_, place) => `k${String(this.cipherVersion - place)}`);
    return ids.map((id) => ({ id, key: this.derive(`sealed columns of ${service}, ${id}`) }));
  }

  /** Admin's alone; the others get its public half. */
  get assertionKey(): SigningKey {
    return signingKeyOf('a1', this.assertionSeed);
  }

  get assertionSeed(): Buffer {
    return this.derive('assertions of admin');
  }

  operatorCredential(file: string): string {
    return this.derive(`operator credential of ${file}`).toString('base64url');
  }

  internalCredential(caller: string): string {
    return this.derive(`internal credential of ${caller}`).toString('base64url');
  }

  sandboxKeySecret(partner: string, kind: 'consumer' | 'checkout'): string {
    return this.derive(`sandbox ${kind} key of ${partner}`).toString('hex');
  }

  private derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.root, '', `vuka ${purpose}`, ROOT_BYTES));
  }
}

/**
 * Throws BootError if the file is missing or malformed, or of the other environment. A new folder gets new secrets.
 */
export async function loadSecrets(folder: DataFolder, env: 'sandbox' | 'live'): Promise<Secrets> {
  if (!(await exists(folder.secretsFile))) await makeSecrets(folder, env);
  await chmod(folder.secretsFile, 0o600);
  const parsed = secretsFile.safeParse(parseJson(await readFile(folder.secretsFile, 'utf8')));
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file').join(', ');
    throw new BootError(`${folder.secretsFile} is not valid: ${fields} differs from what Vuka writes.`, advice(folder));
  }
  if (parsed.data.env !== env) {
    throw new BootError(
      `The data folder ${folder.path} belongs to VUKA_ENV=${parsed.data.env}, but this start has VUKA_ENV=${env}.`,
      'Use a separate folder for each, with VUKA_DATA_DIR.',
    );
  }
  return new Secrets(Buffer.from(parsed.data.root, 'base64url'), parsed.data.cipher_version);
}

/**
 * Adds a newest key to every service and returns its id. Needs the folder's lock and no running service: a process
 * without the key cannot open what it seals. Throws BootError if the file is malformed or full.
 */
export async function addCipherKey(folder: DataFolder): Promise<string> {
  const parsed = secretsFile.safeParse(parseJson(await readFile(folder.secretsFile, 'utf8')));
  if (!parsed.success)
    throw new BootError(`${folder.secretsFile} is not valid: it is not what Vuka writes.`, advice(folder));
  const version = parsed.data.cipher_version + 1;
  if (version > MOST_CIPHER_KEYS)
    throw new BootError(
      `${folder.secretsFile} has ${String(MOST_CIPHER_KEYS)} cipher keys already, which is the limit.`,
      'Nothing was changed.',
    );
  await writeDurably(folder.secretsFile, `${JSON.stringify({ ...parsed.data, cipher_version: version }, null, 2)}\n`);
  return `k${String(version)}`;
}

async function makeSecrets(folder: DataFolder, env: 'sandbox' | 'live'): Promise<void> {
  // New secrets with an old database unseal nothing.
  if (!folder.isNew) throw new BootError(`${folder.secretsFile} is missing, but its database exists.`, advice(folder));
  const root = randomBytes(ROOT_BYTES).toString('base64url');
  await writeDurably(folder.secretsFile, `${JSON.stringify({ version: 1, env, root }, null, 2)}\n`);
}

function advice(folder: DataFolder): string {
  return `Put the file back from a backup. To start again from nothing, remove the folder ${folder.path}: all its data is then lost.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
