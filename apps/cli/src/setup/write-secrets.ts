import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { SERVICE_NAMES } from '@vuka/contracts';
import {
  addCipherKey,
  adminFileText,
  loadSecrets,
  openDataFolder,
  OPERATOR,
  type Secrets,
  serviceSecrets,
  writeDurably,
} from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';

import type { SetupSettings } from './setup-settings.js';

/** What one program may read: its folder below the secrets, and the file's name and content. */
interface SecretFile {
  readonly program: string;
  readonly name: string;
  readonly text: string;
  /** Its reader is another user, in a container that alone has this folder. */
  readonly forOthers?: true;
}

type Members = Readonly<Record<string, unknown>>;

/** The root of all secrets, as it was made. Throws BootError where there is none. */
export async function openSecrets({ folder }: SetupSettings): Promise<Secrets> {
  if (!existsSync(join(folder, 'secrets.json')))
    throw new BootError(`There are no secrets in ${folder}.`, 'Run the step `secrets` first.');
  return loadSecrets(await openDataFolder(folder), 'sandbox');
}

/**
 * Makes the root of all secrets where there is none, and writes each program's own file; a repeat writes the same, and leaves what
 * operators have added to a service's file (endpoints of chains). Throws BootError, before it has written anything, where a program has
 * secrets of another root (new ones would shut everybody out and open nothing that is sealed) or a file that cannot be read.
 */
export async function writeSecrets(settings: SetupSettings): Promise<void> {
  const folder = await openDataFolder(settings.folder);
  const had = SERVICE_NAMES.filter((name) => existsSync(join(settings.secretsFolder, name, 'secrets.json')));
  if (had.length > 0 && !existsSync(folder.secretsFile)) throw foreign(settings, had);
  const files = await wantedFiles(await loadSecrets(folder, 'sandbox'), settings);
  for (const { program, name, text, forOthers } of files) {
    const path = join(settings.secretsFolder, program, name);
    await mkdir(join(settings.secretsFolder, program), { recursive: true, mode: 0o700 });
    await writeDurably(path, text);
    if (forOthers === true) await chmod(path, 0o444);
  }
}

/** Gives every service a new cipher key in front of those it has; each must be stopped. Throws BootError. */
export async function rotateCipher(settings: SetupSettings): Promise<void> {
  // Refuses what would not be written: a key that only the root had would be followed by one more at the next try.
  await wantedFiles(await openSecrets(settings), settings);
  await addCipherKey(await openDataFolder(settings.folder));
  await writeSecrets(settings);
}

/** Every file as it is to be, beside what is there now. */
async function wantedFiles(secrets: Secrets, settings: SetupSettings): Promise<SecretFile[]> {
  return [...(await serviceFiles(secrets, settings)), ...otherFiles(secrets, settings)];
}

async function serviceFiles(secrets: Secrets, settings: SetupSettings): Promise<SecretFile[]> {
  const redis = secrets.serverPassword('redis');
  const made = SERVICE_NAMES.map((program) => ({
    program,
    members: serviceSecrets(program, secrets, redis) as Members,
  }));
  // Of any service: what one of them no longer needs does not stay in its file as if somebody had added it.
  const ours = new Set(made.flatMap(({ members }) => Object.keys(members)));
  const files: SecretFile[] = [];
  for (const { program, members } of made) {
    const before = await membersOf(join(settings.secretsFolder, program, 'secrets.json'));
    if (!isOfSameRoot(before, members)) throw foreign(settings, [program]);
    // What we have none of (a password of Kafka) is theirs to give as well.
    const added = Object.entries(before).filter(([name]) => !ours.has(name) || members[name] === null);
    files.push({ program, name: 'secrets.json', text: json({ ...members, ...Object.fromEntries(added) }) });
  }
  return files;
}

/** What a service's file has now; nothing where it is not there. Throws BootError, without a word of what is in it. */
async function membersOf(path: string): Promise<Members> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw unreadable(path, `it cannot be read (${code ?? 'for no reason that is told'})`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw unreadable(path, 'it is no JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw unreadable(path, 'it is no object of JSON');
  return content as Members;
}

function otherFiles(secrets: Secrets, { providerUrls: [first, second], adminUrl }: SetupSettings): SecretFile[] {
  const redis = secrets.serverPassword('redis');
  const providers = {
    base_url: first,
    credential: secrets.providerCredential,
    others: [{ id: 'sandbox_b', base_url: second, credential: secrets.secondProviderCredential }],
  };
  return [
    {
      program: 'operator',
      name: 'admin.json',
      text: adminFileText({ operator: null, credential: secrets.internalCredential(OPERATOR), url: adminUrl }),
    },
    { program: 'providers', name: 'sandbox-provider.json', text: json(providers) },
    { program: 'sandbox-provider', name: 'credential', text: secrets.providerCredential },
    { program: 'sandbox-provider-b', name: 'credential', text: secrets.secondProviderCredential },
    { program: 'postgres', name: 'password', text: secrets.serverPassword('postgres'), forOthers: true },
    { program: 'redis', name: 'password', text: redis, forOthers: true },
    { program: 'redis', name: 'redis.conf', text: `requirepass ${redis}\n`, forOthers: true },
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What cannot be changed once something is sealed, hashed or set up with it. */
const KEYS = ['cipher_keys', 'key_pepper', 'database_password'] as const;

/** A service that has come to keep something since has more keys than it was given then. */
function isOfSameRoot(before: Members, now: Members): boolean {
  return KEYS.every(
    (name) =>
      before[name] === undefined || JSON.stringify(before[name]) === JSON.stringify(sinceThen(before[name], now[name])),
  );
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

/** Nothing is written: what operators have added to the file would be lost with it. */
function unreadable(path: string, why: string): BootError {
  return new BootError(
    `${path} is a file of secrets that is not as it should be: ${why}.`,
    'Put it right, or move it away: it is made anew, without what had been added to it.',
  );
}
