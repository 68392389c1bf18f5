// `npm run stack`: the distributed profile on this machine without Docker.
import { existsSync } from 'node:fs';

import { prepare } from '../command/prepare.mjs';
import { sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

const PROGRAM = 'apps/stack/dist/main.js';
const words = process.argv.slice(2);
const [first = 'start', second = '--'] = words;
// Read-only commands need no build, and their output stays clean.
const isStart =
  !words.includes('--help') &&
  !words.includes('-h') &&
  (first.startsWith('-') || (first === 'start' && second.startsWith('-')));

process.chdir(ROOT);
if (isStart) await prepare({ withBuild: true });
else if (!existsSync(PROGRAM)) {
  sayTo(process.stderr);
  await prepare({ withBuild: true, quietly: true });
}
process.setSourceMapsEnabled(true);
await import(`../../${PROGRAM}`);
