// `node tools/event-samples.mjs [<checkout>]`: writes libs/contracts/samples/<commit>: the events that a build really writes, one file per
// type, and what its contracts promise (contracts.json). Run it for a build that is released; specs hold every later one against it.
// `node tools/event-samples.mjs --captured <commit>` takes the events from that build's data folder in apps/e2e/src/previous-build instead.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { contractsOf } from './event-samples/contracts-of.mjs';
import { capturedEvents, writtenEvents } from './event-samples/real-events.mjs';
import { sampleOf } from './event-samples/shape.mjs';
import { giveUp, say, step } from './progress.mjs';
import { ROOT } from './run.mjs';

const FOLDER = join(ROOT, 'libs/contracts/samples');
const RELEASES = join(FOLDER, 'releases.json');

const captured = process.argv[2] === '--captured';
const checkout = captured ? undefined : resolve(process.argv[2] ?? ROOT);
const release = captured ? process.argv[3] : commitOf(checkout);
if (!/^[0-9a-f]{7,40}$/.test(release ?? '')) giveUp('Of which build?', 'node tools/event-samples.mjs [<checkout>], or --captured <commit>');

const events = await step(`events of ${release}`, (tell) => (captured ? capturedEvents(release) : writtenEvents(checkout, tell)));
const target = join(FOLDER, release);
await rm(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const [type, { topic, envelopes }] of Object.entries(events)) {
  write(join(target, `${type}.json`), { topic, events: sampleOf(envelopes) });
}
if (!captured) write(join(target, 'contracts.json'), await contractsOf(checkout));
const known = existsSync(RELEASES) ? JSON.parse(readFileSync(RELEASES, 'utf8')) : [];
if (!known.includes(release)) write(RELEASES, [...known, release]);
say(`libs/contracts/samples/${release}: ${Object.keys(events).join(', ')}`);

function write(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** A sample is of a commit that somebody can look at. */
function commitOf(folder) {
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  if (git('status', '--porcelain', '--', 'apps', 'libs', ':!libs/contracts/samples') !== '') {
    giveUp(`${folder} has changes that are in no commit.`, 'Sample a clone: git clone . /tmp/build && cd /tmp/build && npm ci && npm run build');
  }
  return git('rev-parse', '--short', 'HEAD');
}
