// `node tools/lint/typecheck.mjs <project folder>`: one project with its specs, against its dependencies' sources.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { ROOT, runScript } from '../command/run.mjs';

const TIMEOUT_MS = 5 * 60_000;

const project = relative(ROOT, resolve(ROOT, process.argv[2] ?? '.'));
const folder = join(ROOT, 'node_modules/.cache/vuka-typecheck');
const config = join(folder, `${project.replaceAll(/[\\/]/g, '-')}.json`);
const up = relative(folder, ROOT).replaceAll('\\', '/');
mkdirSync(folder, { recursive: true });
writeFileSync(
  config,
  JSON.stringify({
    extends: `${up}/tsconfig.json`,
    compilerOptions: { rootDir: up },
    include: [`${up}/${project}/src/**/*.ts`],
  }),
);
const { code } = await runScript('node_modules/typescript-7/bin/tsc', ['--noEmit', '-p', config], {
  timeoutMs: TIMEOUT_MS,
});
process.exit(code);
