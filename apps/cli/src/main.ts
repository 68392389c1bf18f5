import 'reflect-metadata';

import { runOnTerminal } from './terminal.js';

// For built programs, as in the container; in a checkout `npm run vuka` builds first.
process.exitCode = await runOnTerminal(process.argv.slice(2));
