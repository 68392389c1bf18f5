import { admin } from './admin.mjs';

process.exitCode = await admin(['ledger', ...process.argv.slice(2)]);
