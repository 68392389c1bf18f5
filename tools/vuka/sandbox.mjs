// `npm run --silent sandbox -- transfer --chain CELO --asset USDC --amount 12.5 --to 0x…`: acts on the chains of a
// running sandbox.
import { prepare } from '../command/prepare.mjs';
import { sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

// The last line of stdout is the hash.
sayTo(process.stderr);
process.chdir(ROOT);
await prepare({ withBuild: true, quietly: true });
process.setSourceMapsEnabled(true);
await import('../../apps/sandbox/dist/command/main.js');
