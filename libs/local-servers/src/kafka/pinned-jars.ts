import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { EnvHttpProxyAgent, fetch } from 'undici';

export interface PinnedJar {
  /** In a Maven repository. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface PinnedJars {
  readonly kafka: string;
  /** Minimum version. */
  readonly java: number;
  readonly jars: readonly PinnedJar[];
}

export interface FetchJarsOptions {
  readonly jars: readonly PinnedJar[];
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Called only if something is fetched. */
  readonly tell?: (line: string) => void;
  /** Per jar. */
  readonly timeoutMs?: number;
}

export type FetchedJars =
  { readonly ok: true; readonly files: readonly string[] } | { readonly ok: false; readonly why: string };

export const MAVEN_CENTRAL = 'https://repo1.maven.org/maven2';
const AT_ONCE = 4;
const TRIES = 2;
const JAR_TIMEOUT_MS = 120_000;
const TELL_EVERY_MS = 2_000;
const ABANDONED_AFTER_MS = 60 * 60_000;

export function pinnedJars(): PinnedJars {
  return JSON.parse(readFileSync(new URL('../../../../deploy/kafka/jars.json', import.meta.url), 'utf8')) as PinnedJars;
}

/**
 * Each jar's SHA-256 is checked. Sources: the folder, the user's Maven repository, VUKA_MAVEN_URL (default
 * Maven Central). Files are renamed when complete, so parallel processes are safe.
 */
export async function fetchJars({
  jars,
  folder,
  env = process.env,
  tell = () => undefined,
  timeoutMs = JAR_TIMEOUT_MS,
}: FetchJarsOptions): Promise<FetchedJars> {
  await mkdir(folder, { recursive: true });
  const fileOf = (jar: PinnedJar): string => join(folder, basename(jar.path));
  const missing: PinnedJar[] = [];
  for (const jar of jars) if (!(await fits(fileOf(jar), jar))) missing.push(jar);
  if (missing.length > 0) {
    await removeAbandoned(folder);
    const toDownload: PinnedJar[] = [];
    for (const jar of missing) if (!(await takeLocal(jar, fileOf(jar), env))) toDownload.push(jar);
    const repository = repositoryOf(env);
    if (repository === undefined) return { ok: false, why: 'VUKA_MAVEN_URL is not a URL' };
    const why =
      toDownload.length > 0 ? await downloadAll(toDownload, { fileOf, repository, tell, timeoutMs }) : undefined;
    if (why !== undefined) return { ok: false, why };
  }
  return { ok: true, files: jars.map(fileOf) };
}

interface Source {
  readonly repository: Repository;
  readonly fileOf: (jar: PinnedJar) => string;
  readonly tell: (line: string) => void;
  readonly timeoutMs: number;
}

interface Repository {
  /** Without the login: safe to print. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** fetch refuses a login in the URL, so it becomes Basic authentication. */
function repositoryOf(env: NodeJS.ProcessEnv): Repository | undefined {
  const text = env['VUKA_MAVEN_URL'] || MAVEN_CENTRAL;
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return {
    base: (origin + pathname).replace(/\/+$/, ''),
    headers: username === '' ? {} : { authorization: `Basic ${login}` },
  };
}

/** Returns what failed, or undefined. */
async function downloadAll(
  jars: readonly PinnedJar[],
  { repository, fileOf, tell, timeoutMs }: Source,
): Promise<string | undefined> {
  const total = jars.reduce((sum, { size }) => sum + size, 0);
  const troubles: string[] = [];
  const queue = [...jars];
  let received = 0;
  let toldAt = performance.now();
  tell(`fetching ${jars.length} jars (${megabytes(total)}) from ${repository.base}`);
  const onBytes = (count: number): void => {
    received += count;
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    tell(`${megabytes(received)} of ${megabytes(total)}`);
  };
  const agent = new EnvHttpProxyAgent();
  const worker = async (): Promise<void> => {
    for (let jar = queue.shift(); jar !== undefined && troubles.length === 0; jar = queue.shift()) {
      const trouble = await downloadPatiently(repository, jar, fileOf(jar), { agent, onBytes, timeoutMs });
      if (trouble !== undefined) troubles.push(trouble);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    await agent.close();
  }
  return troubles[0];
}

interface Downloading {
  readonly agent: EnvHttpProxyAgent;
  readonly onBytes: (count: number) => void;
  readonly timeoutMs: number;
}

async function downloadPatiently(
  repository: Repository,
  jar: PinnedJar,
  file: string,
  downloading: Downloading,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await download(repository, jar, file, downloading);
      return undefined;
    } catch (error) {
      if (attempt === TRIES) return `${basename(jar.path)} cannot be had from ${repository.base}: ${reasonOf(error)}`;
    }
  }
}

async function download(
  { base, headers }: Repository,
  jar: PinnedJar,
  file: string,
  { agent, onBytes, timeoutMs }: Downloading,
): Promise<void> {
  const answer = await fetch(`${base}/${jar.path}`, {
    headers,
    dispatcher: agent,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`it answered ${answer.status}`);
  }
  const draft = draftOf(file);
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      onBytes(chunk.length);
      done(size > jar.size ? new Error(`it is larger than the pinned ${jar.size} bytes`) : null, chunk);
    },
  });
  try {
    await pipeline(Readable.fromWeb(answer.body), bounded, createWriteStream(draft));
    await keep(draft, jar, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Only with the right SHA-256. */
async function takeLocal(jar: PinnedJar, file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const found = join(env['HOME'] || homedir(), '.m2', 'repository', jar.path);
  const draft = draftOf(file);
  try {
    await copyFile(found, draft);
    await keep(draft, jar, file);
    return true;
  } catch {
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

async function keep(draft: string, jar: PinnedJar, file: string): Promise<void> {
  if (!(await fits(draft, jar))) throw new Error('its checksum is not the pinned one: it was refused');
  await rename(draft, file);
}

async function fits(file: string, jar: PinnedJar): Promise<boolean> {
  const size = await stat(file).then(
    (found) => found.size,
    () => undefined,
  );
  return (
    size === jar.size &&
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex') === jar.sha256
  );
}

const draftOf = (file: string): string => `${file}.${randomUUID()}.part`;

/** Of killed downloads. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((found) => found.endsWith('.part'))) {
    const file = join(folder, name);
    const madeAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (Date.now() - madeAt > ABANDONED_AFTER_MS) await rm(file, { force: true });
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
