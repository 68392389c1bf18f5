// `npm test [-- <Jest arguments>]`: every suite, cheapest first; installs and builds first.
// Of repetitions (crash points, seeds, rounds, profiles, suites of one promise) it runs a random draw; VUKA_TEST_DRAW
// repeats one, `--whole` runs all. Suites that are named run.
// Ends with `N passed, N failed` (`, N skipped` may follow).
// Missing Kafka or Redis fails with REQUIRE_DISTRIBUTED=1. Without anvil its suites fail if CI=true, else they are
// skipped.
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

import { bundlePrograms } from '../build/bundle-programs.mjs';
import { prepare } from '../command/prepare.mjs';
import { giveUp, say, step } from '../command/progress.mjs';
import { ROOT, runScript } from '../command/run.mjs';
import { leftByDraw, pathsPattern } from './draws.mjs';
import { lendVuka } from './lend-vuka.mjs';
import { endToEnd, leftToTheOther, namedIn, ON_EVM_CHAINS, PARTNERS, PHASES } from './phases.mjs';
import { findServers, shareServers } from './servers.mjs';

const LIST_MS = 60_000;
const NODE_FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

const isWhole = process.argv.includes('--whole') || process.env.VUKA_TEST_DEPTH === 'whole';
const mayBeNone = process.argv.includes('--passWithNoTests');
const jestArgs = process.argv.slice(2).filter((word) => !['--whole', '--passWithNoTests'].includes(word));
const isNarrowed = jestArgs.length > 0;
const hasOptions = jestArgs.some((word) => word.startsWith('-'));
process.env.VUKA_TEST_DEPTH = isWhole ? 'whole' : (process.env.VUKA_TEST_DEPTH ?? 'commit');
process.env.VUKA_TEST_DRAW ??= String(randomInt(2 ** 32));
/** An empty VUKA_TEST_PROGRAMS selects the plain files. */
const withBundles = !isWhole && process.env.VUKA_TEST_PROGRAMS !== '';
delete process.env.VUKA_TEST_PROGRAMS;
/** nx runs from node_modules, which must not change under it. */
const withInstall = process.env.NX_TASK_TARGET_PROJECT === undefined;

const leftSuites = new Set();
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
let servers;
let lent;

endBySignal();
await prepare({ withInstall, withBuild: false });
const suites = await listSuites();
if (suites.length === 0 && !mayBeNone) giveUp('No suite matches.', jestArgs.join(' '));
try {
  for (const phase of PHASES) {
    if (!suites.some((path) => new RegExp(phase.suites).test(path))) continue;
    if (!phase.isPure) servers ??= await lookForServers();
    if (phase.profile === 'distributed' && !servers.canRunStack) continue;
    if (phase.profile !== undefined) await buildPrograms();
    count(await (phase.shared ? runOnSharedVuka(phase) : runPhase(phase)));
  }
} finally {
  await servers?.stop();
}

if (failures.length > 0) say(`\n✗ FAILED (again: npm test -- --onlyFailures):\n  ${failures.join('\n  ')}`);
if (servers?.notice.length > 0) say(`\n${servers.notice.join('\n')}`);
if (process.env.VUKA_TEST_DEPTH === 'commit')
  say(
    `\nWhat repeats itself was a random sample (VUKA_TEST_DRAW=${process.env.VUKA_TEST_DRAW}); ${leftSuites.size} suites were left out. To run every suite and case: npm test -- --whole`,
  );
total.failed += servers?.failures ?? 0;
say(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed > 0 ? 1 : 0;

/**
 * Shared servers end with this command (on `exit`). A running program gets the signal first and ends before it
 * (run.mjs).
 */
function endBySignal() {
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ]) {
    process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(128 + number));
  }
}

function count(counts) {
  for (const kind of Object.keys(total)) total[kind] += counts[kind];
}

async function listSuites() {
  const lines = [];
  const { code, report } = await runJest(['--listTests'], { onLine: (line) => lines.push(line), timeoutMs: LIST_MS });
  if (code !== 0 || report === undefined) giveUp('Jest does not start.', lines.join('\n'));
  return report;
}

/** Once for all phases: Kafka and Redis, downloaded the first time. Needs the build. */
async function lookForServers() {
  await prepare({ withInstall, withBuild: true, quietly: true });
  return step('look for Kafka and Redis', async (tell) => shareServers(await findServers(tell)));
}

async function buildPrograms() {
  await prepare({ withInstall, withBuild: true });
  if (withBundles) process.env.VUKA_TEST_PROGRAMS = await step('bundle the programs', () => bundlePrograms());
}

async function runOnSharedVuka(phase) {
  try {
    lent = await lendVuka({
      profile: phase.profile,
      fixtures: PARTNERS.length,
      servers: servers.env,
      whole: !hasOptions,
    });
  } catch (error) {
    say(`✗ the servers that the suites of ${phase.name} share did not start: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  count(await runPhase(phase));
  return lent.end();
}

async function runPhase(phase) {
  const draw = await leftOut(phase);
  const left = namedIn(phase, draw.here);
  if (left.length > 0) say(`… left out on this profile in this run, by the random sample: ${left.join(', ')}`);
  if (draw.all.length > 0) say(`… left out of this run, by the random sample: ${draw.all.join(', ')}`);
  draw.all.forEach((path) => leftSuites.add(path));
  const chainless = servers?.skipsChains ? namedIn(phase, ON_EVM_CHAINS).filter((name) => !left.includes(name)) : [];
  if (chainless.length > 0) say(`! SKIPPED because anvil is missing: ${chainless.join(', ')}`);
  const named = [...left, ...chainless];
  const without = [...(named.length > 0 ? [endToEnd(named)] : []), ...(draw.all.length > 0 ? [pathsPattern(draw.all)] : [])]; // prettier-ignore
  const counts = await step(`${phase.name} tests`, () =>
    runSuites(phase, [
      ...['--testRegex', phase.suites],
      ...(without.length > 0 ? ['--testPathIgnorePatterns', '/node_modules/', ...without] : []),
      ...['--maxWorkers', String(phase.workers), '--forceExit'],
      // Without filters, a phase with no suites is a failure.
      ...(isNarrowed ? ['--passWithNoTests'] : []),
    ]),
  );
  return { ...counts, skipped: counts.skipped + chainless.length };
}

/** `here`: names of suites that only this profile leaves out; `all`: paths of those that the whole run does. */
async function leftOut({ profile, isPure, suites: pattern }) {
  if (isPure || isWhole || hasOptions) return { here: [], all: [] };
  const { drawn } = await import(pathToFileURL(join(ROOT, 'libs/testing/dist/depth.js')).href);
  const left = isNarrowed ? [] : leftByDraw(drawn);
  return {
    here: profile === undefined ? [] : leftToTheOther(profile, { suites, drawn, canRunStack: servers.canRunStack }),
    all: left.filter((path) => new RegExp(pattern).test(`/${path}`)),
  };
}

async function runSuites({ name, minutes, profile, shared = false }, options) {
  const { code, timedOut, report } = await runJest(options, {
    env: {
      NODE_ENV: 'test',
      ...servers?.env,
      ...(profile === 'distributed' && { VUKA_TEST_PROFILE: profile }),
      ...(shared && lent.env),
    },
    onLine: say,
    timeoutMs: minutes * 60_000,
  });
  if (timedOut) say(`✗ the ${name} tests were stopped after ${minutes} minutes`);
  failures.push(...failuresOf(report));
  const counts = countsOf(report);
  // Other Jest failures (bad option, late crash) must not count as success.
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function runJest(options, how) {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-test-'));
  const file = join(folder, 'report.json');
  try {
    const args = [...options, '--json', '--outputFile', file, ...jestArgs];
    const { code, timedOut } = await runScript('node_modules/jest/bin/jest.js', args, {
      ...how,
      nodeFlags: NODE_FLAGS,
    });
    return { code, timedOut, report: existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A suite that could not run, and a phase without a report, count as one failure. */
function countsOf(report) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function failuresOf(report) {
  return (report?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
      const tests = failed.length > 0 ? failed : ['it could not be run'];
      return tests.map((test) => `${relative(ROOT, name)}: ${test}`);
    });
}
