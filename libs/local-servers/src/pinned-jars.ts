import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { EnvHttpProxyAgent, fetch } from 'undici';

export interface PinnedJar {
  /** Inside a Maven repository. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface PinnedJars {
  readonly kafka: string;
  /** The least Java they run on. */
  readonly java: number;
  readonly jars: readonly PinnedJar[];
}

export interface FetchJarsOptions {
  readonly jars: readonly PinnedJar[];
  /** Where they are kept, side by side. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Lines for people: only when something is fetched. */
  readonly tell?: (line: string) => void;
}

export type FetchedJars = { readonly ok: true; readonly files: readonly string[] } | { readonly ok: false; readonly why: string };

export const MAVEN_CENTRAL = 'https://repo1.maven.org/maven2';
const AT_ONCE = 4;
const TRIES = 2;
const JAR_TIMEOUT_MS = 120_000;
const TELL_EVERY_MS = 2_000;
const ABANDONED_AFTER_MS = 60 * 60_000;

/** deploy/kafka/jars.json: every jar that the broker runs on. */
export function pinnedJars(): PinnedJars {
  return JSON.parse(readFileSync(new URL('../../../deploy/kafka/jars.json', import.meta.url), 'utf8')) as PinnedJars;
}

/**
 * Every jar as a file whose SHA-256 was just compared with the pinned one: from the folder, from the Maven repository of this user, or
 * from VUKA_MAVEN_URL (Maven Central by default). A file appears under its name only whole and checked, so two processes at once do not
 * disturb each other.
 */
export async function fetchJars({ jars, folder, env = process.env, tell = () => undefined }: FetchJarsOptions): Promise<FetchedJars> {
  await mkdir(folder, { recursive: true });
  const fileOf = (jar: PinnedJar): string => join(folder, basename(jar.path));
  const missing: PinnedJar[] = [];
  for (const jar of jars) if (!(await fits(fileOf(jar), jar))) missing.push(jar);
  if (missing.length > 0) {
    await removeAbandoned(folder);
    const toDownload: PinnedJar[] = [];
    for (const jar of missing) if (!(await takeLocal(jar, fileOf(jar), env))) toDownload.push(jar);
    const why = toDownload.length > 0 ? await downloadAll(toDownload, fileOf, env, tell) : undefined;
    if (why !== undefined) return { ok: false, why };
  }
  return { ok: true, files: jars.map(fileOf) };
}

async function downloadAll(jars: readonly PinnedJar[], fileOf: (jar: PinnedJar) => string, env: NodeJS.ProcessEnv, tell: (line: string) => void): Promise<string | undefined> {
  const base = (env['VUKA_MAVEN_URL'] || MAVEN_CENTRAL).replace(/\/+$/, '');
  const total = jars.reduce((sum, { size }) => sum + size, 0);
  const troubles: string[] = [];
  const queue = [...jars];
  let received = 0;
  let toldAt = performance.now();
  tell(`fetching ${jars.length} jars (${megabytes(total)}) from ${withoutPassword(base)}`);
  const onBytes = (count: number): void => {
    received += count;
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    tell(`${megabytes(received)} of ${megabytes(total)}`);
  };
  const agent = new EnvHttpProxyAgent();
  const worker = async (): Promise<void> => {
    for (let jar = queue.shift(); jar !== undefined && troubles.length === 0; jar = queue.shift()) {
      const trouble = await downloadPatiently(base, jar, fileOf(jar), { agent, onBytes });
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
}

async function downloadPatiently(base: string, jar: PinnedJar, file: string, downloading: Downloading): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await download(`${base}/${jar.path}`, jar, file, downloading);
      return undefined;
    } catch (error) {
      if (attempt === TRIES) return `${basename(jar.path)} cannot be had from ${withoutPassword(base)}: ${reasonOf(error)}`;
    }
  }
}

async function download(url: string, jar: PinnedJar, file: string, { agent, onBytes }: Downloading): Promise<void> {
  const answer = await fetch(url, { dispatcher: agent, signal: AbortSignal.timeout(JAR_TIMEOUT_MS) });
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

/** From the Maven repository of this user, where what lies there is the very jar. */
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
  const size = await stat(file).then((found) => found.size, () => undefined);
  return size === jar.size && createHash('sha256').update(await readFile(file)).digest('hex') === jar.sha256;
}

const draftOf = (file: string): string => `${file}.${randomUUID()}.part`;

/** Drafts of downloads that were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((found) => found.endsWith('.part'))) {
    const file = join(folder, name);
    const madeAt = await stat(file).then(({ mtimeMs }) => mtimeMs, () => Infinity);
    if (Date.now() - madeAt > ABANDONED_AFTER_MS) await rm(file, { force: true });
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function withoutPassword(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
