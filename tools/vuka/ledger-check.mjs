// `npm run ledger:check`: the same as `npm run vuka -- ledger`.
import { desk } from './desk.mjs';

process.exitCode = await desk(['ledger', ...process.argv.slice(2)]);
