import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { LocalServer, LocalServerOptions } from './local-server.js';
import { ServerFolder } from './server-folder.js';

export const HOST = '127.0.0.1';
const READY_TIMEOUT_MS = 60_000;
const LOOK_AGAIN_MS = 20;
const STOP_MS = 20_000;
const KILL_MS = 5_000;
const PORT_ATTEMPTS = 5;
const LARGEST_LOG_BYTES = 10_000_000;
const WORDS_BYTES = 100_000;
const TOLD_LINES = 10;
const TOLD_CHARACTERS = 2_000;

export interface NativeProgram {
  readonly name: string;
  /** In the server's folder. */
  readonly logFile: string;
  /** Additional log. */
  readonly ownLogFile?: string;
  /** Found only in the command line of this folder's server. */
  readonly mark: string;
  /** Writes settings and returns the command. */
  prepare(port: number): Promise<{ file: string; args: readonly string[]; env: NodeJS.ProcessEnv }>;
  /** If the server picks its port. */
  readonly ownPort?: (pid: number) => Promise<number | undefined>;
  /** Called once, after a stop. */
  readonly finished?: (how: string) => Promise<void>;
  /** Must be this very server, because another program may have taken the port. Never throws. */
  answers(port: number, pid: number): Promise<boolean>;
  /** Log text of a port conflict. */
  readonly portTaken: RegExp;
}

/**
 * Ends a server left by a killed run; resolves when it answers. Throws with the end of its log, or if another
 * live process runs it.
 */
export async function startNative(
  { folder: path, log, port }: LocalServerOptions,
  programIn: (folder: ServerFolder) => Promise<NativeProgram>,
): Promise<LocalServer> {
  const folder = new ServerFolder(path);
  await folder.claim();
  try {
    const program = await programIn(folder);
    await folder.stopOrphan(program.mark, log);
    return await launchPatiently(folder, program, port);
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function launchPatiently(
  folder: ServerFolder,
  program: NativeProgram,
  wanted: number | undefined,
): Promise<LocalServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted ?? (await freePort(attempt === 1 ? folder.lastPort() : undefined));
    const launched = await launch(folder, program, port);
    if (launched !== 'port taken') return running(folder, program, launched);
    if (wanted !== undefined || attempt === PORT_ATTEMPTS)
      throw new Error(`${program.name} does not start: port ${port} is taken`);
  }
}

interface Launched {
  readonly child: ChildProcess;
  readonly port: number;
}

async function launch(folder: ServerFolder, program: NativeProgram, port: number): Promise<Launched | 'port taken'> {
  const { file, args, env } = await program.prepare(port);
  const logFile = join(folder.path, program.logFile);
  rotate(logFile);
  const logs = [logFile, ...(program.ownLogFile ? [join(folder.path, program.ownLogFile)] : [])].map((path) => ({
    path,
    offset: sizeOf(path),
  }));
  const output = openSync(logFile, 'a', 0o600);
  // Own process group: Ctrl-C must stop its users first.
  const child = spawn(file, args, { cwd: folder.path, env, stdio: ['ignore', output, output], detached: true });
  if (child.pid !== undefined) folder.recordRunning({ pid: child.pid, port });
  closeSync(output);
  child.unref();
  child.on('error', () => undefined);
  const readyAt = await becomesReady(child, program, port);
  if (readyAt !== undefined) return { child, port: readyAt };
  const runs = isRunning(child);
  if (runs) await endChild(child);
  const words = (await Promise.all(logs.map(({ path, offset }) => endOf(path, offset)))).join('\n');
  if (!runs && program.portTaken.test(words)) return 'port taken';
  throw new Error(
    `${program.name} ${runs ? `is not ready after ${READY_TIMEOUT_MS} ms` : 'ended while starting'}: ${troubleIn(words)} (see ${logs.map(({ path }) => path).join(', ')})`,
  );
}

/** undefined: ended or timed out. */
async function becomesReady(child: ChildProcess, program: NativeProgram, wanted: number): Promise<number | undefined> {
  const giveUpAt = performance.now() + READY_TIMEOUT_MS;
  while (isRunning(child) && performance.now() < giveUpAt) {
    const port = program.ownPort === undefined ? wanted : await program.ownPort(child.pid ?? 0);
    if (port !== undefined && (await program.answers(port, child.pid ?? 0)) && isRunning(child)) return port;
    await sleep(LOOK_AGAIN_MS);
  }
  return undefined;
}

/** One exit listener for all. */
const UNTIL_EXIT = new Set<ChildProcess>();

function stopAtExit(child: ChildProcess): void {
  if (!process.listeners('exit').includes(endAll)) process.on('exit', endAll);
  UNTIL_EXIT.add(child);
}

function endAll(): void {
  for (const child of UNTIL_EXIT) child.kill('SIGTERM');
}

function running(folder: ServerFolder, program: NativeProgram, { child, port }: Launched): LocalServer {
  stopAtExit(child);
  const ended = new Promise<string>((settle) => {
    const tell = (): void => settle(String(child.exitCode ?? child.signalCode));
    if (isRunning(child)) child.once('exit', tell);
    else tell();
  });
  let stopping: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    if (isRunning(child)) await endChild(child);
    UNTIL_EXIT.delete(child);
    await program.finished?.(await ended);
    await folder.release();
  };
  return { host: HOST, port, pid: child.pid ?? 0, ended, stop: () => (stopping ??= shutDown()) };
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function endChild(child: ChildProcess): Promise<void> {
  child.ref();
  const ended = once(child, 'exit');
  for (const [signal, boundMs] of [
    ['SIGTERM', STOP_MS],
    ['SIGKILL', KILL_MS],
  ] as const) {
    child.kill(signal);
    // A paused process takes no other signal.
    child.kill('SIGCONT');
    const giveUp = new AbortController();
    await Promise.race([ended, sleep(boundMs, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
    giveUp.abort();
    if (!isRunning(child)) return;
  }
}

/** Else any free one. */
export async function freePort(preferred?: number): Promise<number> {
  const probe = createServer();
  try {
    probe.listen(preferred ?? 0, HOST);
    await once(probe, 'listening');
  } catch (error) {
    if (preferred === undefined) throw error;
    return freePort();
  }
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function endOf(logFile: string, from: number): Promise<string> {
  if (sizeOf(logFile) <= from) return '';
  const file = await open(logFile, 'r');
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(WORDS_BYTES),
      0,
      WORDS_BYTES,
      Math.max(from, size - WORDS_BYTES),
    );
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}

/** Error lines, if any. */
function troubleIn(words: string): string {
  const lines = words.split('\n').filter((line) => /\b(ERROR|FATAL|Error|Caused by)\b|Exception/.test(line));
  return lines.length > 0
    ? lines.slice(0, TOLD_LINES).join('\n').slice(0, TOLD_CHARACTERS)
    : words.slice(-TOLD_CHARACTERS).trim();
}

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

function rotate(logFile: string): void {
  if (sizeOf(logFile) > LARGEST_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
}

/** Our full environment may hold secrets. */
export function serverEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, LD_LIBRARY_PATH, HOME } = process.env;
  return {
    PATH,
    ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }),
    ...(HOME !== undefined && { HOME }),
    LC_ALL: 'C',
    ...more,
  };
}
