// `npm run faults`: everything that a deployment meets, done on purpose to a whole stack under load: kill -9 of each service, a
// broker that is away for a minute, a Redis that forgets, a PostgreSQL that dies, links that are cut. After each fault the outside
// checker and the ledger check have the last word. Prints as it goes and writes docs/generated/reliability.md, in half an hour.
// `-- --only=<id>[,<id>]` does some and prints alone; `-- --list` names them. Ends with 1 where anything was lost, doubled or wrong.
import { prepare } from '../command/prepare.mjs';

await prepare({ withBuild: true });
await import('./run-faults.mjs');
