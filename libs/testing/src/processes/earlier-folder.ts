import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES: Readonly<Record<string, string>> = {
  'secrets.json': `${JSON.stringify({ version: 1, env: 'sandbox', root: Buffer.alloc(32, 7).toString('base64url') }, null, 2)}\n`,
  'sandbox.json': '{}\n',
  'sandbox-provider.json': '{}\n',
  // A killed process: nobody has this id.
  'vuka.lock': '999999999 1 x\n',
  'postgres/data/PG_VERSION': '18\n',
  'postgres/data/postmaster.pid': '999999999\n',
  'postgres/password': 'x',
  'provider/journal.jsonl': '{"entry":1}\n',
  'logs/stack.log': 'The stack is ready.\n',
};

/** A data folder of another build that was killed: no build.json, open to others, another layout. */
export function makeEarlierFolder(path: string, more: Readonly<Record<string, string>> = {}): void {
  for (const [name, text] of Object.entries({ ...FILES, ...more })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text, { mode: 0o644 });
  }
}

/** Everything in which a change would show: kinds, modes, times to the ns, contents. */
export function folderPrint(path: string): string[] {
  const { mode, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  const isFolder = lstatSync(path).isDirectory();
  const content = isFolder
    ? readdirSync(path).sort().join(' ')
    : createHash('sha256').update(readFileSync(path)).digest('hex');
  const here = `${path} ${mode.toString(8)} ${String(mtimeNs)} ${String(ctimeNs)} ${content}`;
  return [
    here,
    ...(isFolder
      ? readdirSync(path)
          .sort()
          .flatMap((name) => folderPrint(join(path, name)))
      : []),
  ];
}
