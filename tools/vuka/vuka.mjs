// `npm run vuka -- <command>`: hands for trouble (docs/operators/runbook.md), on the data folder (VUKA_DATA_DIR) of a Vuka that
// runs, was killed or is stopped.
import { desk } from './desk.mjs';

process.exitCode = await desk(process.argv.slice(2));
