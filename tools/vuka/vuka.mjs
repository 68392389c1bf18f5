// `npm run vuka -- <command>`: operator commands (docs/operators/runbook.md) on the data folder of a running, stopped
// or killed Vuka.
import { admin } from './admin.mjs';

process.exitCode = await admin(process.argv.slice(2));
