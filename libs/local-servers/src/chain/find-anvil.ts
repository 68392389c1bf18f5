import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface AnvilProgram {
  readonly ok: true;
  readonly version: string;
  readonly file: string;
}

/** First with all options of `startLocalChain`. */
const LEAST_VERSION = [1, 0] as const;
const ASK_TIMEOUT_MS = 10_000;
const PACKAGES: Readonly<Record<string, string>> = { 'linux-x64': '@foundry-rs/anvil-linux-amd64' };

/** `ANVIL_BIN`, else the npm package, else PATH. Never throws; says why there is none. */
export async function findAnvil(
  env: NodeJS.ProcessEnv = process.env,
): Promise<AnvilProgram | { readonly ok: false; readonly why: string }> {
  const file = anvilFile(env);
  const advice = 'Install Foundry (getfoundry.sh), or set ANVIL_BIN to the program.';
  if (file === undefined) {
    const where = env['ANVIL_BIN']
      ? 'ANVIL_BIN is not a program'
      : 'the optional npm package is not installed and none is on PATH';
    return { ok: false, why: `There is no anvil: ${where}. ${advice}` };
  }
  const version = await versionOf(file, env);
  if (version === undefined) return { ok: false, why: `anvil does not run: ${file}. ${advice}` };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1]))
    return { ok: true, version, file };
  return { ok: false, why: `anvil ${version} (${file}) is older than ${LEAST_VERSION.join('.')}. ${advice}` };
}

/** Not yet whether it runs. */
export function anvilFile(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['ANVIL_BIN'];
  if (named) return runnable(named) ? named : undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...packaged(), ...folders.map((folder) => join(folder, 'anvil'))].find(runnable);
}

function packaged(): string[] {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return [];
  try {
    return [join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'anvil')];
  } catch {
    return [];
  }
}

function runnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** undefined if it does not run. */
async function versionOf(file: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(file, ['--version'], { env, timeout: ASK_TIMEOUT_MS });
    return /\b(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
