import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { SERVICE_NAMES } from '@vuka/contracts';
import {
  addCipherKey,
  adminFileText,
  loadSecrets,
  openDataFolder,
  OPERATOR,
  operatorFileText,
  sandboxOperators,
  sandboxProvidersFile,
  type Secrets,
  serviceSecrets,
  writeDurably,
} from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';

import type { SetupSettings } from './setup-settings.js';

interface SecretFile {
  readonly program: string;
  readonly name: string;
  readonly text: string;
  /** The reader is another user, in a container that alone mounts this folder. */
  readonly forOthers?: true;
}

type Members = Readonly<Record<string, unknown>>;

/** Throws BootError if there is none. */
export async function openSecrets({ folder }: SetupSettings): Promise<Secrets> {
  if (!existsSync(join(folder, 'secrets.json')))
    throw new BootError(`There is no secrets.json in ${folder}.`, 'Run the step `secrets` first.');
  return loadSecrets(await openDataFolder(folder), 'sandbox');
}

/**
 * Makes the root of all secrets if it is missing, and writes each program's file. Can be repeated; keeps what
 * operators added to a service's file (chain endpoints).
 * Throws BootError before any write if a program has secrets of another root, or an unreadable file: new secrets would
 * lock everybody out and could not open sealed data.
 */
export async function writeSecrets(settings: SetupSettings): Promise<void> {
  const folder = await openDataFolder(settings.folder);
  const had = SERVICE_NAMES.filter((name) => existsSync(join(settings.secretsFolder, name, 'secrets.json')));
  if (had.length > 0 && !existsSync(folder.secretsFile)) throw foreign(settings, had);
  const files = await wantedFiles(await loadSecrets(folder, 'sandbox'), settings);
  for (const { program, name, text, forOthers } of files) {
    const path = join(settings.secretsFolder, program, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeDurably(path, text);
    if (forOthers === true) await chmod(path, 0o444);
  }
}

/** Puts a new cipher key before each service's old ones. All services must be stopped. Throws BootError. */
export async function rotateCipher(settings: SetupSettings): Promise<void> {
  // Checks first that the files can be written. Else only the root would have the key, and the next try would add one
  // more.
  await wantedFiles(await openSecrets(settings), settings);
  await addCipherKey(await openDataFolder(settings.folder));
  await writeSecrets(settings);
}

async function wantedFiles(secrets: Secrets, settings: SetupSettings): Promise<SecretFile[]> {
  return [...(await serviceFiles(secrets, settings)), ...otherFiles(secrets, settings)];
}

async function serviceFiles(secrets: Secrets, settings: SetupSettings): Promise<SecretFile[]> {
  const redis = secrets.serverPassword('redis');
  const made = SERVICE_NAMES.map((program) => ({
    program,
    members: serviceSecrets(program, secrets, redis) as Members,
  }));
  // Names of any service's secrets: an obsolete one must not count as added by an operator.
  const ours = new Set(made.flatMap(({ members }) => Object.keys(members)));
  const files: SecretFile[] = [];
  for (const { program, members } of made) {
    const before = await membersOf(join(settings.secretsFolder, program, 'secrets.json'));
    if (!isOfSameRoot(before, members)) throw foreign(settings, [program]);
    // Operators may also give a value that we left out (a Kafka password).
    const added = Object.entries(before).filter(([name]) => !ours.has(name) || members[name] === null);
    files.push({ program, name: 'secrets.json', text: json({ ...members, ...Object.fromEntries(added) }) });
  }
  return files;
}

/** {} if there is no file. Throws BootError without the content. */
async function membersOf(path: string): Promise<Members> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw unreadable(path, `it cannot be read (${code ?? 'unknown reason'})`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw unreadable(path, 'it is not JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw unreadable(path, 'it is not a JSON object');
  return content as Members;
}

function otherFiles(secrets: Secrets, { providerUrls: [first, second], adminUrl }: SetupSettings): SecretFile[] {
  const redis = secrets.serverPassword('redis');
  return [
    {
      program: 'operator',
      name: 'admin.json',
      text: adminFileText({ operator: null, credential: secrets.internalCredential(OPERATOR), url: adminUrl }),
    },
    ...sandboxOperators(secrets).map((one) => ({
      program: 'operator',
      name: `operators/${one.file}.json`,
      text: operatorFileText(one),
    })),
    { program: 'providers', name: 'providers.json', text: sandboxProvidersFile({ sandbox: first, sandbox_b: second }) },
    { program: 'sandbox-provider', name: 'credential', text: secrets.providers.sandbox.credential },
    { program: 'sandbox-provider-b', name: 'credential', text: secrets.providers.sandbox_b.credential },
    { program: 'postgres', name: 'password', text: secrets.serverPassword('postgres'), forOthers: true },
    { program: 'redis', name: 'password', text: redis, forOthers: true },
    { program: 'redis', name: 'redis.conf', text: `requirepass ${redis}\n`, forOthers: true },
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Cannot change once data was sealed, hashed or set up with them. */
const KEYS = ['cipher_keys', 'index_keys', 'webhook_keys', 'key_peppers', 'database_password'] as const;

/** A service that stores data only since a later build has more keys now. */
function isOfSameRoot(before: Members, now: Members): boolean {
  return KEYS.every(
    (name) =>
      before[name] === undefined || JSON.stringify(before[name]) === JSON.stringify(sinceThen(before[name], now[name])),
  );
}

/** Lists of keys: new ones come in front, and old ones may have been dropped. One in common tells the folder. */
function sinceThen(before: unknown, now: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(now)) return now;
  const kept = new Set(now.map((key) => JSON.stringify(key)));
  return before.some((key) => kept.has(JSON.stringify(key))) ? before : now;
}

function foreign({ folder, secretsFolder }: SetupSettings, programs: readonly string[]): BootError {
  return new BootError(
    `${programs.join(', ')} in ${secretsFolder} ${programs.length === 1 ? 'has' : 'have'} secrets that were made from another secrets.json than the one in ${folder}.`,
    `Put ${join(folder, 'secrets.json')} back from a backup. To start again from nothing, remove every volume: all data is then lost.`,
  );
}

/** Nothing is written, or operators' additions would be lost. */
function unreadable(path: string, why: string): BootError {
  return new BootError(
    `The secrets file ${path} is not valid: ${why}.`,
    'Correct it, or move it away. Then a new one is written, without what people had added.',
  );
}
