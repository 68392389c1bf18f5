// `npm run --silent sandbox -- transfer --chain CELO --asset USDC --amount 12.5 --to 0x…`: hands on the chains of a sandbox that runs.
// `-- --help` has the rest.
import { prepare } from '../command/prepare.mjs';
import { sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

// The last line of standard output is the hash.
sayTo(process.stderr);
// Relative settings mean the project's folder, from wherever this is called.
process.chdir(ROOT);
await prepare({ withBuild: true, quietly: true });
process.setSourceMapsEnabled(true);
await import('../../apps/sandbox/dist/command/main.js');
