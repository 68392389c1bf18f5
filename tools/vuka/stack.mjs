// `npm run stack`: the distributed profile on this machine, without Docker: Kafka, Redis, PostgreSQL, two sandbox providers and the
// six services, each a process of its own. `-- --help` has the rest.
import { existsSync } from 'node:fs';

import { prepare } from '../command/prepare.mjs';
import { sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

const PROGRAM = 'apps/stack/dist/main.js';
const words = process.argv.slice(2);
const [first = 'start', second = '--'] = words;
// What only looks needs no build, and its answer stays clean.
const isStart =
  !words.includes('--help') &&
  !words.includes('-h') &&
  (first.startsWith('-') || (first === 'start' && second.startsWith('-')));

// Relative settings mean the project's folder, from wherever this is called.
process.chdir(ROOT);
if (isStart) await prepare({ withBuild: true });
else if (!existsSync(PROGRAM)) {
  sayTo(process.stderr);
  await prepare({ withBuild: true, quietly: true });
}
process.setSourceMapsEnabled(true);
await import(`../../${PROGRAM}`);
