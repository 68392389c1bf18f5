import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { transformSync } from '@swc/core';
import { createLogger } from '@vuka/runtime';

export const log = createLogger('test', { level: 'silent' });

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Needed from @vuka/runtime. */
const RUNTIME_FILES = ['folder-claim', 'process-identity'];

/** In another Node process, which can be killed; resolves with the server's id. */
export async function launchElsewhere(
  work: string,
  start: 'startLocalChain' | 'startLocalKafka' | 'startLocalRedis',
  folder: string,
): Promise<{ launcher: ChildProcess; serverPid: number }> {
  const code = join(work, 'libs', 'local-servers', 'src');
  if (!existsSync(code)) writeSources(work, code);
  const launcher = spawn(process.execPath, [join(code, 'main.js'), start, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const [line] = (await once(createInterface(launcher.stdout), 'line')) as [string];
  return { launcher, serverPid: Number(line) };
}

function writeSources(work: string, code: string): void {
  mkdirSync(code, { recursive: true });
  const own = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.ts') &&
      !/\.(spec|spec-support)\.ts$/.test(name) &&
      !/(^|\/)(index|anvil-for-tests|kafka-for-tests)\./.test(name),
  );
  const sources: [string, string][] = [
    ...own.map((name): [string, string] => [join(import.meta.dirname, name), name]),
    ...RUNTIME_FILES.map((name): [string, string] => [
      join(ROOT, 'libs/runtime/src/process', `${name}.ts`),
      `${name}.ts`,
    ]),
  ];
  for (const [path, name] of sources) {
    const upwards = '../'.repeat(name.split('/').length - 1) || './';
    const source = readFileSync(path, 'utf8').replaceAll("'@vuka/runtime'", `'${upwards}runtime.js'`);
    const { code: text } = transformSync(source, {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    const target = join(code, name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  writeFileSync(join(code, 'runtime.js'), RUNTIME_FILES.map((file) => `export * from './${file}.js';`).join('\n'));
  writeFileSync(join(code, 'package.json'), '{"type":"module"}');
  for (const name of ['node_modules', 'deploy']) symlinkSync(join(ROOT, name), join(work, name));
  writeFileSync(
    join(code, 'main.js'),
    `import { startLocalChain } from './chain/local-chain.js';
     import { startLocalKafka } from './kafka/local-kafka.js';
     import { startLocalRedis } from './redis/local-redis.js';
     const quiet = () => undefined;
     const [, , start, folder] = process.argv;
     const server = await { startLocalChain, startLocalKafka, startLocalRedis }[start]({ folder, chainId: 42220, log: { info: quiet, warn: quiet, error: quiet } });
     console.log(server.pid);
     process.stdin.resume().on('end', () => process.exit(0));`,
  );
}
