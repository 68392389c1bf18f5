// `npm run bench`: durable payments per second of this machine, beside the limit of the batched writer, and with one
// payout in ten failing in each way.
// Prints tables and writes docs/generated/benchmarks.md, in about 35 minutes. `-- --quick`: smoke run, prints only.
// `--ways=0002,0005`: only these failures, prints only. `--lists`: payouts beside lists over a million rows.
// `--profiles`, `--pay`, `--orders`, `--webhooks`: measure one section and replace it in the page.
// `--meter`: processor time per unit of work; `--against <folder>` compares it with another built checkout, in five
// pairs.
import { prepare } from '../command/prepare.mjs';

await prepare({ withBuild: true });
await import('./run-bench.mjs');
