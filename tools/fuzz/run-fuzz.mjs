import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ledgerCheck, startVuka } from '@vuka/testing';

import { say } from '../command/progress.mjs';
import { run } from '../command/run.mjs';
import { UNREACHED_LIMITS } from '../generate/unreached-limits.mjs';

const BUGS = ['a request failed', 'a call to a service failed'];
const WITHIN_MS = 30 * 60_000;
const VALIDATE_WITHIN_MS = 60_000;
const SAID_LINES = 20;
const LINE_LENGTH = 400;

export async function openTarget() {
  const vuka = await startVuka({ env: { LOG_LEVEL: 'warn', ...UNREACHED_LIMITS } });
  return {
    baseUrl: vuka.baseUrl,
    dataDir: vuka.dataDir,
    key: vuka.partner().consumer_key,
    checkoutKey: vuka.partner().checkout_key,
    findings: async () => {
      const { code, output } = await ledgerCheck(vuka);
      const bugs = vuka
        .output()
        .split('\n')
        .filter((line) => BUGS.some((text) => line.includes(`"${text}"`)));
      return [
        ...(code === 0 ? [] : [`the ledger is not sound: ${output}`]),
        ...bugs.map((line) => `in the log: ${line.slice(0, 2_000)}`),
      ];
    },
    close: () => vuka.dispose(),
  };
}

export async function documentFaults({ python }, { baseUrl, dataDir }) {
  const file = join(dataDir, 'openapi.json');
  await writeFile(file, await (await fetch(`${baseUrl}/openapi.json`)).text());
  const said = [];
  const { code } = await run(python, ['-m', 'openapi_spec_validator', file], {
    onLine: (line) => said.push(line),
    timeoutMs: VALIDATE_WITHIN_MS,
  });
  await rm(file);
  return code === 0 ? [] : [`the document is not valid: ${said.slice(0, SAID_LINES).join(' ')}`];
}

export async function fuzzOnce({ schemathesis }, target, { seed, examples, phases, part, passedOn }) {
  const { baseUrl, key, checkoutKey } = target;
  const args = [
    '--config-file',
    await configFor(target, part),
    'run',
    `${baseUrl}/openapi.json`,
    ...['--seed', String(seed), '--max-examples', String(examples), '--phases', phases.join(','), '--workers', '1'],
    ...['--checks', 'all', '--generation-database', 'none', '--no-color', ...passedOn],
  ];
  const env = {
    VUKA_FUZZ_KEY: key,
    VUKA_FUZZ_CHECKOUT_KEY: checkoutKey,
    VUKA_FUZZ_HOOKS: join(import.meta.dirname, 'hooks.py'),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONWARNINGS: 'ignore',
    PYTHONUNBUFFERED: '1',
  };
  const { code, timedOut } = await run(schemathesis, args, {
    env,
    onLine: (line) => say(line.slice(0, LINE_LENGTH)),
    timeoutMs: WITHIN_MS,
  });
  if (timedOut) say(`✗ stopped after ${WITHIN_MS / 60_000} minutes`);
  return code === 0;
}

async function configFor({ baseUrl, dataDir }, [nth, parts]) {
  const { paths } = await (await fetch(`${baseUrl}/openapi.json`)).json();
  const names = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  const others = names.filter((_, at) => at % parts !== nth - 1);
  const common = await readFile(join(import.meta.dirname, 'schemathesis.toml'), 'utf8');
  const file = join(dataDir, 'schemathesis.toml');
  await writeFile(
    file,
    others.length === 0
      ? common
      : `${common}\n[[operations]]\ninclude-operation-id = ${JSON.stringify(others)}\nphases.coverage.enabled = false\n`,
  );
  return file;
}
