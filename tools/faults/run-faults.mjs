import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openStackFixture } from '../../libs/testing/dist/index.js';
import { describeMachine } from '../bench/machine.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { runFault } from './run-fault.mjs';
import { report, summary } from './report.mjs';
import { elapsed, giveUp, say, step } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

const args = process.argv.slice(2);
const only = args
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
/** Of faults that happen again and again at the same points: how often at each. */
const each = args.find((word) => /^--each=[1-9]\d{0,2}$/.test(word))?.slice('--each='.length);
const known = SCENARIOS.flatMap(({ faults }) => faults.map(({ id }) => id));
if (args.includes('--list')) {
  for (const { faults } of SCENARIOS) for (const { id, title } of faults) say(`${id.padEnd(24)} ${title}`);
  process.exit(0);
}
const unknown = [
  ...args.filter((word) => !word.startsWith('--only=') && word !== `--each=${each}`),
  ...(only ?? []).filter((id) => !known.includes(id)),
];
if (unknown.length > 0) giveUp(`${unknown[0]} is not an option or a fault.`, 'npm run faults -- --list');

process.chdir(ROOT);

const results = [];
for (const scenario of SCENARIOS) {
  const faults = scenario.faults.filter(({ id }) => only === undefined || only.includes(id));
  if (faults.length > 0) results.push(...(await playScenario(scenario, faults)));
}
say(`\n${summary(results)}`);
if (only === undefined) {
  writeFileSync(
    join(ROOT, 'docs/generated/reliability.md'),
    report({
      results,
      scenarios: SCENARIOS,
      machine: describeMachine(),
      date: new Date().toISOString().slice(0, 10),
      took: elapsed(),
    }),
  );
  say('docs/generated/reliability.md is written.');
}
process.exitCode = results.some(({ faults }) => faults.length > 0) ? 1 : 0;

/** One stack per scenario, so that later checks also find what an earlier fault broke. */
async function playScenario({ title, play, setUp, env, withDeposits }, faults) {
  if (play !== undefined) return playAlone(play, faults);
  const surroundings = await setUp?.();
  const fixture = await step(`a stack: ${title}`, () => openStackFixture({ env: { ...env, ...surroundings?.env } }));
  const done = [];
  try {
    await fixture.vuka.isWhole();
    if (withDeposits) for (const client of fixture.clients) await client.orders.tellAt(fixture.receiver.url());
    for (const fault of faults) {
      const result = await step(fault.title, (tell) => runFault({ fixture, surroundings, fault, withDeposits, tell }));
      done.push(result);
      for (const line of result.faults) say(`  ✗ ${line}`);
      if (result.faults.length > 0) say(fixture.vuka.logTail());
    }
  } finally {
    await fixture.end();
    await surroundings?.stop();
  }
  return done;
}

async function playAlone(play, faults) {
  const done = [];
  for (const fault of faults)
    done.push(
      await step(fault.title, (tell) => play({ ...fault, ...(each !== undefined && { each: Number(each) }) }, tell)),
    );
  for (const line of done.flatMap((result) => result.faults)) say(`  ✗ ${line}`);
  return done;
}
