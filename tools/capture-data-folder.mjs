// `node tools/capture-data-folder.mjs <checkout>`: runs the build of a checkout (a clone of a landed commit, installed and built)
// on a new data folder, loads it, kills it with transactions at every place of their road, and writes what it left behind to
// apps/e2e/src/previous-build/<commit>.json.gz, which the end-to-end tests start the current build on.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

import { prepare } from './prepare.mjs';
import { captureFolder } from './previous-build/capture.mjs';
import { coverage } from './previous-build/coverage.mjs';
import { loadAndKill } from './previous-build/load-and-kill.mjs';
import { giveUp, say, step } from './progress.mjs';
import { ROOT } from './run.mjs';

/** Where the end finds the burst is chance; one of these leads meets every state. */
const BURST_LEADS_MS = [60, 80, 100, 50, 120, 70, 90, 110];
const LARGEST_BYTES = 300_000;

const [checkout] = process.argv.slice(2);
if (checkout === undefined) giveUp('Which build? Give the folder of its checkout.', 'git clone, git checkout <commit>, npm ci, npm run build; then its folder here.');

await prepare({ withBuild: true });
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim();
for (const lead of BURST_LEADS_MS) {
  const { capture, missing } = await step(`capture, ${lead} ms into the burst`, (tell) => captureOnce(lead, tell));
  if (missing.length === 0) {
    write(capture);
    process.exit(0);
  }
  say(`    not met: ${missing.join(', ')}`);
}
giveUp('No run met every state.', 'A busy machine spoils the timing; try again.');

async function captureOnce(lead, tell) {
  const { folder, killedAt, memory } = await loadAndKill(checkout, lead, tell);
  const { files, services } = await captureFolder(folder);
  const capture = { format: 1, commit, killedAt, memory, files: withoutPath(files), services };
  await rm(folder, { recursive: true });
  await rm(`${folder}.log`);
  const { met, missing } = coverage(capture);
  tell(JSON.stringify(met));
  return { capture, missing };
}

/** Where the checkout lies is nobody's business. */
function withoutPath(files) {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replaceAll(resolve(checkout), '/vuka')]));
}

function write(capture) {
  const bytes = gzipSync(JSON.stringify(capture), { level: 9 });
  if (bytes.length > LARGEST_BYTES) giveUp(`The capture has ${bytes.length} bytes, more than ${LARGEST_BYTES}.`, 'Load less.');
  const folder = join(ROOT, 'apps/e2e/src/previous-build');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${commit}.json.gz`), bytes);
  say(`apps/e2e/src/previous-build/${commit}.json.gz is written (${bytes.length} bytes).`);
}
