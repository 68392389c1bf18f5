import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ASK_TIMEOUT_MS = 10_000;

export type FoundJava =
  | {
      readonly ok: true;
      readonly java: string;
      readonly version: number;
      /** In its own words. */ readonly build: string;
    }
  | { readonly ok: false; readonly why: string };

/** From JAVA_HOME, else PATH. */
export async function findJava(least: number, env: NodeJS.ProcessEnv = process.env): Promise<FoundJava> {
  const home = env['JAVA_HOME'];
  const seen: string[] = [];
  for (const java of [...(home ? [join(home, 'bin', 'java')] : []), 'java']) {
    const found = await askVersion(java, env);
    if (found !== undefined && found.version >= least) return { ok: true, java, ...found };
    if (found !== undefined) seen.push(`${java} is Java ${found.version}`);
  }
  const why = seen.length > 0 ? seen.join(', ') : 'there is none on PATH, and JAVA_HOME is not set to one';
  return {
    ok: false,
    why: `Kafka needs Java ${least} or later: ${why}. Install one (Debian, Ubuntu: openjdk-17-jre-headless; macOS: brew install openjdk) or set JAVA_HOME.`,
  };
}

/** Major version; undefined if it does not run. */
async function askVersion(
  java: string,
  env: NodeJS.ProcessEnv,
): Promise<{ version: number; build: string } | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(java, ['-version'], { env, timeout: ASK_TIMEOUT_MS });
    const build = (stderr + stdout).trim();
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(build) ?? [];
    return first === undefined ? undefined : { version: Number(first === '1' ? second : first), build };
  } catch {
    return undefined;
  }
}
