// `node tools/build/compile.mjs [project folder] [compiler flags]`: compiles one project or all, and copies the SQL
// files.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const [only] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

const config = only === undefined ? 'tsconfig.build.json' : join(only, 'tsconfig.json');
const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-b', config, ...flags], { cwd: ROOT, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

const all = ['libs', 'apps'].flatMap((group) => readdirSync(join(ROOT, group)).map((name) => join(group, name)));
for (const project of only === undefined ? all : [only]) {
  const source = join(ROOT, project, 'src');
  const names = existsSync(source)
    ? readdirSync(source, { recursive: true }).filter((name) => name.endsWith('.sql'))
    : [];
  for (const name of names) {
    const target = join(ROOT, project, 'dist', name);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(source, name), target);
  }
}
