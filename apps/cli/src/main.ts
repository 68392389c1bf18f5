import 'reflect-metadata';

import { runOnTerminal } from './terminal.js';

// Where only the built program is, as in the container; a checkout has `npm run vuka`, which builds first.
process.exitCode = await runOnTerminal(process.argv.slice(2));
