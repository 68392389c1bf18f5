// `npm run bench`: durable payments per second, beside the batched writer's limit, and with one payout in ten failing
// in each way.
// Writes docs/generated/benchmarks.md, in about 35 minutes. `-- --quick`: smoke run. `--ways=0002,0005`: only these
// failures. Both print only.
// `--profiles`, `--pay`, `--orders`, `--webhooks`, `--macs`: one section of the page. `--lists`: payouts beside lists over a
// million rows. `--guessed-keys`: known keys beside 2,000 guessed ones a second.
// `--meter`: processor time per unit of work; `--against <folder>`: compared with another built checkout.
import { prepare } from '../command/prepare.mjs';

await prepare({ withBuild: true });
await import('./run-bench.mjs');
