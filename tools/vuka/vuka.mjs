// `npm run vuka -- <command>`: hands for trouble (docs/operators/runbook.md), on the data folder (VUKA_DATA_DIR) of a Vuka that
// runs, was killed or is stopped.
import { admin } from './admin.mjs';

process.exitCode = await admin(process.argv.slice(2));
