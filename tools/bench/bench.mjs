// `npm run bench`: what this machine accepts and pays per second, durable commits on, beside the rate at which its batched
// writer can post at all, and again with one payout in ten going each wrong way, measured in the same run. Prints tables and
// writes docs/generated/benchmarks.md, in about thirty-five minutes; `npm run bench -- --quick` is a smoke run that only prints, and
// `npm run bench -- --ways=0002,0005` measures these wrong ways alone and prints; `npm run bench -- --profiles` both profiles alone,
// and puts their section into the page, as `npm run bench -- --pay` does for what deposits pay for, `npm run bench -- --orders` for looks at a chain
// on which many orders wait, and `npm run bench -- --webhooks` for receivers of which one in ten is dead, slow or rude.
// `npm run bench -- --lists` pays beside lists over a million rows.
// `npm run bench -- --meter` tells processor time per unit of work; `npm run bench -- --against <folder>` compares it with that of another checkout
// that is installed and built, in five pairs.
import { prepare } from '../command/prepare.mjs';

await prepare({ withBuild: true });
await import('./run-bench.mjs');
