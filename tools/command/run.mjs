import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a program from the project's root. Signals to us reach it and its children.
 * - `onLine` gets every line of output; without it the output passes through.
 * - `timeoutMs`: then all are killed, and `timedOut` is true.
 */
export function run(command, args, { env, onLine, timeoutMs } = {}) {
  return new Promise((resolve, reject) => {
    // Its own process group, so that no child (Jest workers, a database) outlives it.
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      detached: process.platform !== 'win32',
      stdio: ['ignore', onLine ? 'pipe' : 'inherit', onLine ? 'pipe' : 'inherit'],
    });
    const stopForwarding = forwardSignals(child);
    let timedOut = false;
    const timer = timeoutMs
      ? setTimeout(() => {
          timedOut = true;
          signalGroup(child, 'SIGKILL');
        }, timeoutMs)
      : undefined;
    if (onLine) for (const stream of [child.stdout, child.stderr]) eachLine(stream, onLine);
    const settle = () => {
      clearTimeout(timer);
      stopForwarding();
    };
    child.once('error', (error) => (settle(), reject(error)));
    child.once('close', (code, signal) => (settle(), resolve({ code: code ?? 1, signal, timedOut })));
  });
}

export function runScript(script, args, options = {}) {
  return run(process.execPath, [...(options.nodeFlags ?? []), script, ...args], options);
}

function signalGroup(child, signal) {
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch {
    // It has ended already.
  }
}

function forwardSignals(child) {
  const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const handler = () => {
      signalGroup(child, signal);
      child.once('close', () => process.exit(128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal]));
    };
    process.on(signal, handler);
    return [signal, handler];
  });
  return () => handlers.forEach(([signal, handler]) => process.off(signal, handler));
}

function eachLine(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    lines.forEach((line) => onLine(line));
  });
  stream.on('end', () => rest && onLine(rest));
}
