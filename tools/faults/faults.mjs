// `npm run faults`: faults on a whole stack under load; after each one the outside checker and the ledger check must
// find nothing.
// Writes docs/generated/reliability.md, in half an hour. `-- --only=<id>[,<id>]` prints only; `--list` names them;
// `--each=<n>` has payments killed so often at each point of a provider's payouts, 4 times unless given.
// Exits with 1 if anything was lost, doubled or wrong.
import { prepare } from '../command/prepare.mjs';

await prepare({ withBuild: true });
await import('./run-faults.mjs');
