import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { stackFolder } from '@vuka/data-folder';
import { BootError, SettingsError } from '@vuka/runtime';
import type { ExitCode, Paint } from '@vuka/terminal';

import { startInBackground } from './console/background.js';
import { askSupervisor, runningStack } from './console/control-client.js';
import type { ControlRequest } from './console/control-server.js';
import { CALL } from './console/stack-banner.js';
import { parseStackCommand, type StackCommand } from './console/stack-command.js';
import { stackHelp } from './console/stack-help.js';
import { printLogs } from './console/stack-logs.js';
import type { StackStatus } from './console/stack-view.js';
import { statusPage } from './console/status-page.js';
import { endLeftovers, leftovers } from './members/leftovers.js';
import { readRunFacts } from './parts/stack-files.js';
import { loadStackSettings, type StackSettings } from './parts/stack-settings.js';

export interface StackSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly paint: Paint;
}

/** Returns the exit code; `--foreground` ends the process itself. */
export async function runStack(argv: readonly string[], around: StackSurroundings): Promise<ExitCode | undefined> {
  const { say, complain, paint, env } = around;
  const parsed = parseStackCommand(argv);
  if (parsed.kind === 'help') {
    say(stackHelp(paint));
    return 0;
  }
  if (parsed.kind === 'wrong') {
    complain(`${paint.red('✗')} ${parsed.problem}\n  ${CALL} --help`);
    return 2;
  }
  try {
    return await carryOut(parsed.command, stackFolder(env), around);
  } catch (error) {
    if (error instanceof BootError) complain(`\n${paint.red('✗')} ${error.message}\n  ${error.advice}`);
    else if (error instanceof SettingsError)
      complain(
        `\n${paint.red('✗')} ${error.message}\n  Correct the setting (${CALL} --help lists them) and start again.`,
      );
    else throw error;
    return 1;
  }
}

async function carryOut(
  command: StackCommand,
  folder: string,
  around: StackSurroundings,
): Promise<ExitCode | undefined> {
  switch (command.kind) {
    case 'start':
      return start(command.foreground, withInstances(loadStackSettings(around.env), command.instances), around);
    case 'status':
      return status(folder, command.json, around);
    case 'logs':
      return logs(folder, command, around);
    case 'stop':
      return command.name === null ? stopAll(folder, around) : ask(folder, { do: 'stop', name: command.name }, around);
    case 'begin':
      return ask(folder, { do: 'start', name: command.name }, around);
    case 'restart':
      return ask(folder, { do: 'restart', name: command.name }, around);
    case 'kill':
      return ask(folder, { do: 'kill', name: command.name }, around);
    case 'scale':
      return ask(folder, { do: 'scale', service: command.service, instances: command.instances }, around);
  }
}

function withInstances(stack: StackSettings, instances: number | null): StackSettings {
  return instances === null ? stack : { ...stack, instances };
}

async function start(
  foreground: boolean,
  stack: StackSettings,
  around: StackSurroundings,
): Promise<ExitCode | undefined> {
  const { say, paint, env } = around;
  const running = runningStack(stack.folder);
  if (running !== null) {
    const { pid } = running.supervisor;
    const where = running.gateways[0] === undefined ? 'is starting' : `runs already: ${running.gateways.join(', ')}`;
    say(
      `${foreground ? paint.red('✗') : paint.green('✓')} The stack in ${stack.folder} ${where} (supervisor: process ${pid}).\n  ${CALL} status    ${CALL} stop`,
    );
    return foreground ? 1 : 0;
  }
  if (!foreground) return startInBackground(stack, env, say);
  const { superviseHere } = await import('./supervise.js');
  superviseHere(stack, say, say);
  return undefined;
}

async function status(folder: string, json: boolean, { say, paint }: StackSurroundings): Promise<ExitCode> {
  const found = await statusOf(folder);
  say(json ? JSON.stringify(found, null, 2) : statusPage(found, paint, new Date()));
  return found.ok ? 0 : 1;
}

async function statusOf(folder: string): Promise<StackStatus> {
  const running = runningStack(folder);
  const answer = running && (await askSupervisor(running, { do: 'status' }));
  if (answer?.status !== undefined) return answer.status;
  const left = leftovers(readRunFacts(folder)?.processes ?? []);
  const members = left.map(({ name, kind, pid }) => ({
    name,
    kind,
    pid,
    state: 'not ready' as const,
    detail: 'left behind',
    ports: {},
    restarts: 0,
    memoryBytes: null,
    logFile: join(folder, 'logs', `${name}.log`),
  }));
  return { ok: false, folder, supervisor: null, gateways: [], members };
}

async function logs(
  folder: string,
  wanted: Parameters<typeof printLogs>[1],
  { say, paint }: StackSurroundings,
): Promise<ExitCode> {
  assertStack(folder);
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  // The reader closed the pipe (`| head`).
  process.stdout.once('error', () => ended.abort());
  await printLogs(folder, wanted, say, paint, ended.signal);
  return 0;
}

async function stopAll(folder: string, { say, complain, paint }: StackSurroundings): Promise<ExitCode> {
  const running = runningStack(folder);
  if (running === null) {
    const ended = await endLeftovers(readRunFacts(folder)?.processes ?? []);
    say(
      ended.length === 0
        ? `No stack runs in ${folder}.`
        : `${paint.green('✓')} Ended processes that a killed stack had left: ${ended.map(({ name }) => name).join(', ')}.`,
    );
    return 0;
  }
  await askSupervisor(running, { do: 'stop-all' });
  const { supervisorEnds } = await import('./console/background.js');
  if (await supervisorEnds(running)) {
    say(`${paint.green('✓')} The stack in ${folder} has stopped. Its data stays there.`);
    return 0;
  }
  complain(
    `${paint.red('✗')} The supervisor (process ${running.supervisor.pid}) does not end. See ${join(folder, 'logs/stack.log')}.`,
  );
  return 1;
}

async function ask(
  folder: string,
  request: ControlRequest,
  { say, complain, paint }: StackSurroundings,
): Promise<ExitCode> {
  assertStack(folder);
  const running = runningStack(folder);
  if (running === null) throw new BootError(`The stack in ${folder} does not run.`, 'npm run stack starts it.');
  const answer = await askSupervisor(running, request);
  if (answer === null) throw new BootError('The supervisor did not answer.', `${CALL} status`);
  if (answer.ok) say(`${paint.green('✓')} ${answer.message}`);
  else complain(`${paint.red('✗')} ${answer.message}`);
  return answer.ok ? 0 : 1;
}

function assertStack(folder: string): void {
  if (!existsSync(join(folder, 'stack.json')))
    throw new BootError(
      `There is no stack in ${folder}.`,
      'Start one with npm run stack, or set VUKA_STACK_DIR to its folder.',
    );
}
