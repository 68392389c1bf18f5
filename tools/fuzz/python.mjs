import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT, run } from '../command/run.mjs';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const FOLDER = join(ROOT, 'node_modules/.cache/schemathesis');
/** Written last, so a broken-off install is not used. */
const MARK = join(FOLDER, 'vuka-installed');

const MAKE_WITHIN_MS = 60_000;
const INSTALL_WITHIN_MS = 5 * 60_000;
const COMMANDS = ['python3', 'python'];
const IS_ENOUGH = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 3)';

/** Installs the tools once and then works offline; else returns why they are missing. */
export async function findFuzzTools(tell) {
  const tools = { python: join(FOLDER, 'bin/python'), schemathesis: join(FOLDER, 'bin/schemathesis') };
  const wanted = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === wanted) return { tools };
  const python = await findPython();
  if (python === undefined)
    return { reason: 'it needs Python 3.10 or newer with venv (Debian: apt-get install python3 python3-venv)' };
  tell('installing schemathesis and openapi-spec-validator (once)');
  await rm(FOLDER, { recursive: true, force: true });
  const said = [];
  const options = (timeoutMs) => ({ onLine: (line) => said.push(line), timeoutMs });
  const made = await run(python, ['-m', 'venv', FOLDER], options(MAKE_WITHIN_MS));
  if (made.code !== 0) return { reason: `${python} could not make a venv: ${said.slice(-3).join(' ')}` };
  const { code } = await run(
    tools.python,
    ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', '-r', REQUIREMENTS],
    options(INSTALL_WITHIN_MS),
  );
  if (code !== 0)
    return { reason: `pip could not install schemathesis: ${said.slice(-3).join(' ') || 'no answer in time'}` };
  writeFileSync(MARK, wanted);
  return { tools };
}

async function findPython() {
  for (const command of COMMANDS) {
    const tried = await run(command, ['-c', IS_ENOUGH], { onLine: () => undefined, timeoutMs: MAKE_WITHIN_MS }).catch(
      () => ({ code: 127 }),
    );
    if (tried.code === 0) return command;
  }
  return undefined;
}
