// `npm run fuzz`: fuzzes the API with schemathesis from its OpenAPI document, then checks the ledger.
// `-- --seed=<n>[,<n>]` repeats runs, `--examples=<n>` sets requests per kind and operation, `--part=2/4` covers all
// bounds of every fourth operation.
// Words after a second `--` go to schemathesis. Exits with 1 for an undocumented answer or an unsound ledger, 3 without
// schemathesis.
import { randomInt } from 'node:crypto';

import { findFuzzTools } from './python.mjs';
import { prepare } from '../command/prepare.mjs';
import { elapsed, say, step } from '../command/progress.mjs';

const CANNOT = 3;
const options = readOptions(process.argv.slice(2));

await prepare({ withBuild: true });
const { documentFaults, fuzzOnce, openTarget } = await import('./run-fuzz.mjs');
const { tools, reason } = await findFuzzTools((text) => say(`… ${text}`));
if (tools === undefined) {
  process.stderr.write(`\n✗ The API cannot be fuzzed here: ${reason}.\n`);
  process.exit(CANNOT);
}
const target = await step('a Vuka to fuzz', () => openTarget());
try {
  const failed = await step('the document is one of OpenAPI 3.1', () => documentFaults(tools, target));
  for (const [place, seed] of options.seeds.entries()) {
    // Phases without a seed give the same each time, so they run once.
    const phases = place === 0 ? ['examples', 'coverage', 'fuzzing', 'stateful'] : ['fuzzing', 'stateful'];
    const passed = await step(`seed ${seed}: ${phases.join(', ')}`, () =>
      fuzzOnce(tools, target, { ...options, seed, phases }),
    );
    if (!passed)
      failed.push(
        `seed ${seed} (npm run fuzz -- --seed=${seed} --examples=${options.examples} --part=${options.part.join('/')})`,
      );
  }
  const broken = await step('the ledger, and the log', () => target.findings());
  const all = [...failed, ...broken];
  say(
    all.length === 0
      ? `\nEvery answer was documented, and the ledger is sound (${elapsed()}).`
      : `\n✗ ${all.join('\n✗ ')}`,
  );
  process.exitCode = all.length === 0 ? 0 : 1;
} finally {
  await target.close();
}

function readOptions(args) {
  const end = args.indexOf('--');
  const [own, passedOn] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const given = new Map(own.map((word) => word.replace(/^--/, '').split('=')));
  const unknown = [...given.keys()].find((name) => !['seed', 'examples', 'part'].includes(name));
  const seeds = (given.get('seed') ?? String(randomInt(1_000_000_000))).split(',').map((text) => parseInt(text, 10));
  const examples = parseInt(given.get('examples') ?? '40', 10);
  const part = (given.get('part') ?? '1/1').split('/').map((text) => parseInt(text, 10));
  const isPart = part.length === 2 && part[0] >= 1 && part[0] <= part[1];
  if (unknown !== undefined || seeds.some(Number.isNaN) || Number.isNaN(examples) || !isPart) {
    process.stderr.write(
      '✗ npm run fuzz [-- --seed=<n>[,<n>…] --examples=<n> --part=<n>/<of> [-- <words for schemathesis>]]\n',
    );
    process.exit(2);
  }
  return { seeds, examples, part, passedOn };
}
