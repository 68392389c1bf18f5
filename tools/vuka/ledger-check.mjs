// `npm run ledger:check`: the same as `npm run vuka -- ledger`.
import { admin } from './admin.mjs';

process.exitCode = await admin(['ledger', ...process.argv.slice(2)]);
