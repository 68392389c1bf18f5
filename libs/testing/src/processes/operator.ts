import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

import { AS_BUNDLES, programFile, ROOT } from './program-file.js';

const WITHIN_MS = 60_000;

interface InFolder {
  readonly dataDir: string;
}

export interface Ran {
  readonly code: number;
  /** All of it; `answer`: stdout only, without the messages for people. */
  readonly output: string;
  readonly answer: string;
}

/**
 * The program behind most operator commands. `npm run sandbox`, and the first command in suites about scripts, run the
 * whole script instead.
 */
const ADMIN = 'apps/cli/dist/main.js';
const BUNDLED: Readonly<Record<string, readonly [program: string, ...words: string[]]>> = {
  vuka: [ADMIN],
  'ledger-check': [ADMIN, 'ledger'],
  stack: ['apps/stack/dist/main.js'],
};

export function commandOf(script: string): readonly [program: string, ...words: string[]] {
  const [program, ...words] = (AS_BUNDLES && BUNDLED[script]) || [];
  return program === undefined ? [`tools/vuka/${script}.mjs`] : [programFile(program), ...words];
}

export function runScript({ dataDir }: InFolder, script: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...commandOf(script), ...args],
      { cwd: ROOT, env: { ...process.env, VUKA_DATA_DIR: dataDir }, timeout: WITHIN_MS },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr, answer: stdout });
      },
    );
  });
}

/** Many `npm run vuka` commands in one process, because loading takes longest. Throws where one fails. */
export async function adminAll<T>(vuka: InFolder, commands: readonly (readonly string[])[]): Promise<T[]> {
  const session = new AdminSession(vuka);
  try {
    const answers: T[] = [];
    for (const words of commands) answers.push(await session.tell<T>(...words));
    return answers;
  } finally {
    await session.end();
  }
}

export async function ledgerCheck(vuka: InFolder): Promise<Pick<Ran, 'code' | 'output'>> {
  const { code, output } = await runScript(vuka, 'ledger-check', []);
  return { code, output };
}

/** Throws where the command fails. */
export async function sandboxCommand(vuka: InFolder, ...args: readonly string[]): Promise<readonly string[]> {
  const { code, output, answer } = await runScript(vuka, 'sandbox', args);
  if (code !== 0) throw new Error(`sandbox ${args.join(' ')} ended with ${code}: ${output}`);
  return answer.trimEnd().split('\n');
}

/** The JSON object of a `npm run vuka` command. Throws where it fails. */
export async function admin<T>(vuka: InFolder, ...args: readonly string[]): Promise<T> {
  const { code, output, answer } = await runScript(vuka, 'vuka', [...args, '--json']);
  if (code !== 0) throw new Error(`vuka ${args.join(' ')} ended with ${code}: ${output}`);
  const told = JSON.parse(answer) as T;
  const second = secondOf(told);
  return second === null ? told : admin<T>(vuka, ...second);
}

const SECONDS = ['Ben Mwangi', 'Ann Otieno'] as const;

/** The command of a second person, where an answer waits for one. */
function secondOf(answer: unknown): readonly string[] | null {
  const { approval } = answer as { approval?: { id: string; state: string; asked_by: string } };
  if (approval?.state !== 'waiting') return null;
  return ['approve', approval.id, '--by', approval.asked_by === SECONDS[0] ? SECONDS[1] : SECONDS[0]];
}

const END_OF_ANSWER = /^-- (\d+) --$/;
const TERMINAL = 'apps/cli/dist/terminal.js';
const session = (): string => `
import { createInterface } from 'node:readline';
import 'reflect-metadata';
import { ${AS_BUNDLES ? `runOnTerminal as admin } from '${pathToFileURL(programFile(TERMINAL)).href}` : `admin } from './tools/vuka/admin.mjs`}';
for await (const line of createInterface({ input: process.stdin })) {
  process.exitCode = 0;
  const code = await admin([...JSON.parse(line), '--json']);
  process.stdout.write('-- ' + (code ?? 0) + ' --\\n');
}`;

/** Runs `npm run vuka` commands one by one in one process, because loading takes longest. */
export class AdminSession {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: Interface;

  constructor({ dataDir }: InFolder) {
    this.child = spawn(process.execPath, ['--input-type=module', '-e', session()], {
      cwd: ROOT,
      env: { ...process.env, VUKA_DATA_DIR: dataDir },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdin.on('error', () => undefined);
    this.lines = createInterface({ input: this.child.stdout });
  }

  /** One at a time. Throws where no answer comes. */
  async ask(...words: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    const answer: string[] = [];
    const ended = new Promise<number>((resolve, reject) => {
      const take = (line: string): void => {
        const [, code] = END_OF_ANSWER.exec(line) ?? [];
        if (code === undefined) answer.push(line);
        else done(() => resolve(Number(code)));
      };
      const gone = (): void =>
        done(() => reject(new Error(`the admin API ended at ${words.join(' ')}: ${answer.join('\n')}`)));
      const late = setTimeout(
        () => done(() => reject(new Error(`the admin API does not answer ${words.join(' ')}`))),
        WITHIN_MS,
      );
      const done = (then: () => void): void => {
        clearTimeout(late);
        this.lines.off('line', take);
        this.child.off('exit', gone);
        then();
      };
      this.lines.on('line', take);
      this.child.once('exit', gone);
    });
    this.child.stdin.write(`${JSON.stringify(words)}\n`);
    return { code: await ended, text: answer.join('\n') };
  }

  /** The JSON object. What needs two people is approved by a second one. Throws where the command fails. */
  async tell<T>(...words: readonly string[]): Promise<T> {
    const { code, text } = await this.ask(...words);
    if (code !== 0) throw new Error(`vuka ${words.join(' ')} ended with ${code}: ${text}`);
    const answer = JSON.parse(text) as T;
    const second = secondOf(answer);
    return second === null ? answer : this.tell<T>(...second);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.stdin.end();
    await gone;
  }
}
