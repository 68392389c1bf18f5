import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const UPDATE_TIMEOUT_MS = 180_000;
const DOWNLOAD_TIMEOUT_MS = 180_000;
const ASK_TIMEOUT_MS = 30_000;
const LARGEST_OUTPUT_BYTES = 10_000_000;

export interface Unpacked {
  readonly root: string;
  /** For LD_LIBRARY_PATH. */
  readonly libraries: readonly string[];
}

export type UnpackResult = ({ readonly ok: true } & Unpacked) | { readonly ok: false; readonly why: string };

export interface UnpackOptions {
  readonly name: string;
  readonly folder: string;
  /** Kept files that do not work (another system release) are unpacked again. */
  readonly works: (unpacked: Unpacked) => Promise<boolean>;
  readonly tell: (line: string) => void;
}

/**
 * Needs no root and installs nothing. apt verifies each package by the signed lists. If the lists are missing
 * or old, they are fetched into our folder.
 */
export async function unpackDebian({ name, folder, works, tell }: UnpackOptions): Promise<UnpackResult> {
  const kept = await readKept(folder, name);
  if (kept !== undefined && (await works(kept))) return { ok: true, ...kept };
  if (!(await runs('apt-get', ['--version'])) || !(await runs('dpkg-deb', ['--version']))) {
    return { ok: false, why: `this system has no apt-get and dpkg, which unpack ${name} of Debian` };
  }
  const work = join(folder, `${name}.${randomUUID()}`);
  try {
    const unpacked = await unpackInto(work, name, tell);
    if (!(await works(unpacked))) throw new Error('its program does not run on this system');
    await keep(folder, name, unpacked);
    if (kept !== undefined) await rm(kept.root, { recursive: true, force: true });
    return { ok: true, ...unpacked };
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    return { ok: false, why: `Debian's package ${name} cannot be unpacked: ${reasonOf(error)}` };
  }
}

async function unpackInto(work: string, name: string, tell: (line: string) => void): Promise<Unpacked> {
  const apt = join(work, 'apt');
  const downloads = join(work, 'downloads');
  const root = join(work, 'root');
  for (const path of [join(apt, 'lists', 'partial'), join(apt, 'cache', 'archives', 'partial'), downloads, root])
    await mkdir(path, { recursive: true });
  tell(`fetching Debian's ${name}`);
  const cacheOnly = ['-o', `Dir::Cache=${join(apt, 'cache')}`, '-o', 'Debug::NoLocking=1'];
  await download(name, downloads, cacheOnly).catch(async () => {
    // No lists, or outdated ones.
    tell('fetching the lists of packages');
    const own = [...cacheOnly, '-o', `Dir::State::lists=${join(apt, 'lists')}`];
    await execute('apt-get', [...own, '-q', 'update'], { timeout: UPDATE_TIMEOUT_MS });
    await download(name, downloads, own);
  });
  for (const file of (await readdir(downloads)).filter((found) => found.endsWith('.deb'))) {
    await execute('dpkg-deb', ['--extract', join(downloads, file), root], { timeout: ASK_TIMEOUT_MS });
  }
  for (const path of [apt, downloads]) await rm(path, { recursive: true, force: true });
  return { root: work, libraries: await librariesIn(root) };
}

/** With missing dependencies, as `apt-get install` without recommendations. */
async function download(name: string, into: string, apt: readonly string[]): Promise<void> {
  const plan = await execute(
    'apt-get',
    [...apt, '--print-uris', '-qq', '-y', '--no-install-recommends', 'install', name],
    { timeout: ASK_TIMEOUT_MS },
  );
  const packages = [...plan.matchAll(/^'[^']+' (\S+)_(\S+)_\S+\.deb /gm)].map(
    ([, found, version]) => `${found}=${decodeURIComponent(version ?? '')}`,
  );
  if (packages.length === 0) throw new Error('apt names nothing to download');
  await execute('apt-get', [...apt, '-q', 'download', ...packages], { cwd: into, timeout: DOWNLOAD_TIMEOUT_MS });
}

async function librariesIn(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const base of [join(root, 'usr', 'lib'), join(root, 'lib')]) {
    const inside = await readdir(base, { withFileTypes: true }).catch(() => []);
    found.push(
      base,
      ...inside
        .filter((entry) => entry.isDirectory() && entry.name.includes('-linux-'))
        .map((entry) => join(base, entry.name)),
    );
  }
  return found.filter((folder) => existsSync(folder));
}

const keptFile = (folder: string, name: string): string => join(folder, `${name}.json`);

async function readKept(folder: string, name: string): Promise<Unpacked | undefined> {
  try {
    return JSON.parse(await readFile(keptFile(folder, name), 'utf8')) as Unpacked;
  } catch {
    return undefined;
  }
}

async function keep(folder: string, name: string, unpacked: Unpacked): Promise<void> {
  const draft = `${keptFile(folder, name)}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(unpacked));
  await rename(draft, keptFile(folder, name));
}

async function runs(file: string, args: readonly string[]): Promise<boolean> {
  return execute(file, args, { timeout: ASK_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}

async function execute(
  file: string,
  args: readonly string[],
  options: { cwd?: string; timeout: number },
): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const { stdout } = await promisify(execFile)(file, args, { ...options, env, maxBuffer: LARGEST_OUTPUT_BYTES });
  return stdout;
}

/** Only apt's own words, without the command line. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const errors = (stderr ?? '').split('\n').filter((line) => line.startsWith('E:'));
  return errors.length > 0 ? errors.slice(-3).join(' ') : (message.split('\n', 1)[0] ?? '');
}
