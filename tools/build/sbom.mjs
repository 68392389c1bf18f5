// `npm run --silent sbom`: what Vuka is made of, as CycloneDX 1.5 (JSON), from package-lock.json by npm itself.
// `-- --out FILE` writes it there. `-- --omit=dev`: without what only builds and tests need.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { giveUp } from '../command/progress.mjs';
import { ROOT, run, runScript } from '../command/run.mjs';

const WITHIN_MS = 120_000;

export async function sbom(options = []) {
  const lines = [];
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', ...options];
  const how = { onLine: (line) => lines.push(line), timeoutMs: WITHIN_MS, env: { npm_config_loglevel: 'silent' } };
  // Use the npm that runs us.
  const npm = process.env.npm_execpath;
  const { code } = npm?.endsWith('.js') ? await runScript(npm, args, how) : await run('npm', args, how);
  if (code !== 0) throw new Error(`npm sbom ended with ${code}: ${lines.slice(0, 5).join(' ')}`);
  const bom = JSON.parse(lines.join('\n'));
  const { name, version, description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  // npm names it by its folder.
  Object.assign(bom.metadata.component, { name, version, description, type: 'application' });
  return bom;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = process.argv.slice(2);
  const at = options.indexOf('--out');
  const [, file] = at === -1 ? [] : options.splice(at, 2);
  if (at !== -1 && file === undefined) giveUp('--out needs a file.');
  const text = `${JSON.stringify(await sbom(options), null, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else writeFileSync(file, text);
}
