import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { SERVICE_NAMES } from '@vuka/contracts';
import { BootError } from '@vuka/platform';

import { adminFileText } from '../admin/admin-file.js';
import { openDataFolder } from '../data-folder.js';
import { writeDurably } from '../durable-file.js';
import { addCipherKey, loadSecrets, type Secrets } from '../secrets.js';
import { serviceSecrets } from '../stack/service-environment.js';
import { OPERATOR } from '../stack/topology.js';
import type { SetupSettings } from './setup-settings.js';

/** What one program may read: its folder below the secrets, and the file's name and content. */
interface SecretFile {
  readonly program: string;
  readonly name: string;
  readonly text: string;
  /** Its reader is another user, in a container that alone has this folder. */
  readonly forOthers?: true;
}

/** The root of all secrets, as it was made. Throws BootError where there is none. */
export async function openSecrets({ folder }: SetupSettings): Promise<Secrets> {
  if (!existsSync(join(folder, 'secrets.json'))) throw new BootError(`There are no secrets in ${folder}.`, 'Run the step `secrets` first.');
  return loadSecrets(await openDataFolder(folder), 'sandbox');
}

/**
 * Makes the root of all secrets where there is none, and writes each program's own file; a repeat writes the same. Throws BootError
 * where a program has secrets of another root: new ones would shut everybody out and open nothing that is sealed.
 */
export async function writeSecrets(settings: SetupSettings): Promise<void> {
  const folder = await openDataFolder(settings.folder);
  const had = SERVICE_NAMES.filter((name) => existsSync(join(settings.secretsFolder, name, 'secrets.json')));
  if (had.length > 0 && !existsSync(folder.secretsFile)) throw foreign(settings, had);
  const secrets = await loadSecrets(folder, 'sandbox');
  const files = secretFiles(secrets, settings);
  for (const { program, name, text } of files) {
    const path = join(settings.secretsFolder, program, name);
    if (name === 'secrets.json' && existsSync(path) && !isOfSameRoot(await readFile(path, 'utf8'), text)) throw foreign(settings, [program]);
  }
  for (const { program, name, text, forOthers } of files) {
    const path = join(settings.secretsFolder, program, name);
    await mkdir(join(settings.secretsFolder, program), { recursive: true, mode: 0o700 });
    await writeDurably(path, text);
    if (forOthers === true) await chmod(path, 0o444);
  }
}

/** Gives every service a new cipher key in front of those it has; each must be stopped. Throws BootError. */
export async function rotateCipher(settings: SetupSettings): Promise<void> {
  await openSecrets(settings);
  await addCipherKey(await openDataFolder(settings.folder));
  await writeSecrets(settings);
}

function secretFiles(secrets: Secrets, { railUrls: [first, second], urls }: SetupSettings): SecretFile[] {
  const redis = secrets.serverPassword('redis');
  const rails = { base_url: first, credential: secrets.railCredential, others: [{ id: 'sandbox_b', base_url: second, credential: secrets.secondRailCredential }] };
  return [
    ...SERVICE_NAMES.map((name) => ({ program: name, name: 'secrets.json', text: json(serviceSecrets(name, secrets, redis)) })),
    { program: 'operator', name: 'admin.json', text: adminFileText({ operator: null, credential: secrets.internalCredential(OPERATOR), urls }) },
    { program: 'rails', name: 'sandbox-rail.json', text: json(rails) },
    { program: 'sandbox-rail', name: 'credential', text: secrets.railCredential },
    { program: 'sandbox-rail-b', name: 'credential', text: secrets.secondRailCredential },
    { program: 'postgres', name: 'password', text: secrets.serverPassword('postgres'), forOthers: true },
    { program: 'redis', name: 'password', text: redis, forOthers: true },
    { program: 'redis', name: 'redis.conf', text: `requirepass ${redis}\n`, forOthers: true },
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What cannot be changed once something is sealed, hashed or set up with it. */
const KEYS = ['cipher_keys', 'key_pepper', 'database_password'] as const;

/** A service that has come to keep something since has more keys than it was given then. */
function isOfSameRoot(had: string, made: string): boolean {
  const [before, now] = [JSON.parse(had), JSON.parse(made)] as Record<string, unknown>[];
  return KEYS.every((name) => before?.[name] === undefined || JSON.stringify(before[name]) === JSON.stringify(sinceThen(before[name], now?.[name])));
}

/** Of a list of keys as many as there were before: new ones have come in front. */
function sinceThen(before: unknown, now: unknown): unknown {
  return Array.isArray(before) && Array.isArray(now) ? now.slice(-before.length) : now;
}

function foreign({ folder, secretsFolder }: SetupSettings, programs: readonly string[]): BootError {
  return new BootError(
    `${programs.join(', ')} in ${secretsFolder} ${programs.length === 1 ? 'has' : 'have'} secrets of another root than ${folder} holds.`,
    `Put ${join(folder, 'secrets.json')} back from a backup. To begin anew, losing everything, remove every volume.`,
  );
}
