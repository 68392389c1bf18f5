import { hkdfSync, randomBytes } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';

import { SERVICE_NAMES, SERVICES, type ServiceName } from '@vuka/contracts';
import { BootError, Cipher, type CipherKey, type SigningKey, signingKeyOf, WebhookCipher } from '@vuka/runtime';
import { z } from 'zod';

import { exists, type DataFolder } from './data-folder.js';
import type { SandboxProviderId } from './deployment/sandbox-providers.js';
import { writeDurably } from './durable-file.js';

const KEY_BYTES = 32;
/** Limit of a service's secrets file (libs/service-host). */
const MOST_KEYS = 20;

/** Base64url of 32 random bytes. */
const random = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
/** Newest first. */
const keyList = z
  .array(z.object({ id: z.string().regex(/^[a-z0-9-]{1,32}$/), key: random }))
  .min(1)
  .max(MOST_KEYS);
const SEALING = SERVICE_NAMES.filter((name) => SERVICES[name].seals);
const keysByService = z.object(Object.fromEntries(SEALING.map((name) => [name, keyList])));

const secretsFile = z.object({
  version: z.literal(2),
  /** Play money and real money never share a folder. */
  env: z.enum(['sandbox', 'live']),
  /** Passwords and credentials derive from it. Keys of stored data do not: each is random, and can go by itself. */
  root: random,
  cipher_keys: keysByService,
  index_keys: keysByService,
  webhook_keys: keyList,
  key_peppers: keyList,
});

type SecretsFile = z.output<typeof secretsFile>;

/** Keys of stored data, each random; passwords and credentials, derived by HKDF-SHA-256 from one root. */
export class Secrets {
  private readonly root: Buffer;

  constructor(private readonly file: Omit<SecretsFile, 'version' | 'env'>) {
    this.root = Buffer.from(file.root, 'base64url');
  }

  /** For the hash of stored API keys, newest first. */
  get keyPeppers(): CipherKey[] {
    return this.file.key_peppers.map(toKey);
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
  cipherOf(service: ServiceName): Cipher {
    return new Cipher(this.cipherKeysOf(service), this.indexKeysOf(service));
  }

  /** Newest first. [] for a service that seals nothing. */
  cipherKeysOf(service: ServiceName): CipherKey[] {
    return (this.file.cipher_keys[service] ?? []).map(toKey);
  }

  /** What services tell each other for webhooks. */
  get webhookCipher(): WebhookCipher {
    return new WebhookCipher(this.webhookKeys);
  }

  get webhookKeys(): CipherKey[] {
    return this.file.webhook_keys.map(toKey);
  }

  indexKeysOf(service: ServiceName): CipherKey[] {
    return (this.file.index_keys[service] ?? []).map(toKey);
  }

  /** For the events that `producer` writes and `reader` reads. Newest first. */
  eventKeysOf(producer: string, reader: string): CipherKey[] {
    return [{ id: 'e1', key: this.derive(`events of ${producer} to ${reader}, e1`) }];
  }

  /** Of one caller at one service: another service can do nothing with it. */
  serviceCredential(caller: string, callee: string): string {
    return this.derive(`internal credential of ${caller} at ${callee}`).toString('base64url');
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
    return Buffer.from(hkdfSync('sha256', this.root, '', `vuka ${purpose}`, KEY_BYTES));
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
  return new Secrets(parsed.data);
}

/**
 * Adds a random newest cipher key to every service, and one for webhooks, all under the id that it returns. Needs the folder's lock and no running service:
 * a process without the key cannot open what it seals. Throws BootError if the file is malformed or full.
 */
export async function addCipherKey(folder: DataFolder): Promise<string> {
  const parsed = secretsFile.safeParse(parseJson(await readFile(folder.secretsFile, 'utf8')));
  if (!parsed.success)
    throw new BootError(`${folder.secretsFile} is not valid: it is not what Vuka writes.`, advice(folder));
  const { cipher_keys: before, webhook_keys: webhooks } = parsed.data;
  const id = nextId([...Object.values(before).flat(), ...webhooks]);
  if ([...Object.values(before), webhooks].some(({ length }) => length >= MOST_KEYS))
    throw new BootError(
      `${folder.secretsFile} has ${String(MOST_KEYS)} cipher keys already, which is the limit.`,
      'Remove keys under which nothing is left: `npm run vuka -- reseal` tells them. Nothing was changed.',
    );
  const cipher_keys = Object.fromEntries(
    Object.entries(before).map(([service, keys]) => [service, [{ id, key: randomKey() }, ...keys]]),
  );
  const webhook_keys = [{ id, key: randomKey() }, ...webhooks];
  await writeDurably(folder.secretsFile, textOf({ ...parsed.data, cipher_keys, webhook_keys }));
  return id;
}

/** Random, of no folder. */
export function newSecrets(): Omit<SecretsFile, 'version' | 'env'> {
  const each = (id: string): SecretsFile['cipher_keys'] =>
    Object.fromEntries(SEALING.map((service) => [service, [{ id, key: randomKey() }]]));
  return {
    root: randomKey(),
    cipher_keys: each('k1'),
    index_keys: each('i1'),
    webhook_keys: [{ id: 'k1', key: randomKey() }],
    key_peppers: [{ id: 'p1', key: randomKey() }],
  };
}

/** Above every id that is there. */
function nextId(keys: SecretsFile['key_peppers']): string {
  return `k${String(Math.max(0, ...keys.map(({ id }) => Number(/^k(\d+)$/.exec(id)?.[1] ?? 0))) + 1)}`;
}

const randomKey = (): string => randomBytes(KEY_BYTES).toString('base64url');
const toKey = ({ id, key }: { id: string; key: string }): CipherKey => ({ id, key: Buffer.from(key, 'base64url') });
const textOf = (file: SecretsFile): string => `${JSON.stringify(file, null, 2)}\n`;

async function makeSecrets(folder: DataFolder, env: 'sandbox' | 'live'): Promise<void> {
  // New secrets with an old database unseal nothing.
  if (!folder.isNew) throw new BootError(`${folder.secretsFile} is missing, but its database exists.`, advice(folder));
  await writeDurably(folder.secretsFile, textOf({ version: 2, env, ...newSecrets() }));
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
