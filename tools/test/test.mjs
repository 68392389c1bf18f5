// `npm test`: every suite of every project, cheapest first; installs and builds what they need. What is only repetition (places to die at,
// seeds, rounds, one suite on both profiles) it draws, another draw each time (VUKA_TEST_DRAW finds one again); `--whole` runs all of it, as
// before a release. Arguments after `--` go to Jest (`npm test -- -t 'insufficient balance'`); `--project <folder>` runs one project's suites
// only, `--files <pattern>` those whose path has it.
// A suite that failed is run once more, alone, after its phase: what passes then is told by name as unsteady. Only a unit suite counts as passed then; one with a
// database, a chain or a provider in it stays failed. What the money's checkers found is never tried again.
// Ends with `N passed, N failed` (`, N skipped` may follow); before it stands what could not run for want of Kafka or Redis, which is a failure
// with REQUIRE_DISTRIBUTED=1, or for want of anvil: with CI=true its suites run and fail, else they are among the skipped.
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { bundlePrograms } from '../build/bundle-programs.mjs';
import { judgeSecondTry, MOST_TRIED_AGAIN, unsteadyNotice, worthAnotherTry } from './judge-suites.mjs';
import { prepare } from '../command/prepare.mjs';
import { say, step } from '../command/progress.mjs';
import { ROOT, runScript } from '../command/run.mjs';
import { findServers, shareServers } from './servers.mjs';
import { lendVuka } from './lend-vuka.mjs';

/** What a partner sees of the system, whichever profile it runs on. They share one Vuka, each with partners of its own. */
const PARTNERS = [
  'contract',
  'disburse',
  'idempotency',
  'lists',
  'matrix',
  'openapi',
  'races',
  'sandbox-control',
  'sandbox-numbers',
  'straight-road',
  'validation',
  'webhook-trust',
];
/** As those, on a Vuka of its own, which it sets. */
const SETTING = ['rate-limits'];
/** What processes that run apart could get wrong together, and one cannot: in every run on both profiles. */
const TOGETHER = ['idempotency', 'races', 'webhook-trust', ...SETTING];
/** About services that run apart, and what starts them anew. All others are about one process and its folder. */
const APART = ['service-alone', 'stack', 'terms', 'two-of-each'];
/** Of what is paid for by deposits: on chains of their own, in both profiles. */
const PAYS = ['checkout', 'pay'];
/** As those; what a chain's own kind of transfer comes to is judged by one service alone, and `pay` takes each family through all of them. */
const PAYS_TOO = ['pay-families'];
const EMBEDDED_TOO = ['terms'];
/** What asks both profiles the same, and asks neither for anything that is not asked of the other: of these a commit's run asks either profile some. */
const EITHER = PARTNERS.filter((name) => !TOGETHER.includes(name));
const OF_SECOND = 4;
/** What pays or is paid on an EVM chain. Integration suites ask for anvil themselves. */
const ON_EVM_CHAINS = [
  'checkout',
  'checkout-crash',
  'crash-points-pay',
  'isolation',
  'pay',
  'pay-conservation',
  'pay-failures',
  'pay-reorganised',
];
/** As those, where the first profile is asked for more: whether a commit's run asks the second one, too, is drawn. */
const TOO = 'checkout';

const MINUTE_MS = 60_000;
const suites = (names) => String.raw`/(${names.join('|')})\.e2e\.spec\.ts$`;
const ELSEWHERE = [...PARTNERS, ...SETTING, ...APART.filter((name) => !EMBEDDED_TOO.includes(name))];
const endToEnd = { needsBuild: true, needsServers: true };

/** Of a test that names no bound of its own: Jest's five seconds are few where four suites share two processors with whatever else the machine does. */
const TEST_MS = 90_000;
/** `isPure`: no database, chain or provider takes part. Sorted by cost. What waits, for a broker to come back or a payout to end, leaves the two processors to others: three and four suites share them. */
const PHASES = [
  {
    name: 'unit',
    files: String.raw`(?<!\.(int|e2e))\.spec\.(ts|mjs)$`,
    workers: 2,
    timeoutMs: 8 * MINUTE_MS,
    isPure: true,
  },
  {
    name: 'integration',
    files: String.raw`\.int\.spec\.ts$`,
    workers: 4,
    timeoutMs: 16 * MINUTE_MS,
    needsServers: true,
  },
  {
    ...endToEnd,
    name: 'end to end',
    files: String.raw`(?<!/(${ELSEWHERE.join('|')}))\.e2e\.spec\.(ts|mjs)$`,
    workers: 4,
    timeoutMs: 26 * MINUTE_MS,
  },
  {
    ...endToEnd,
    name: 'end to end, of partners',
    files: suites([...PARTNERS, ...SETTING]),
    workers: 3,
    timeoutMs: 10 * MINUTE_MS,
    shared: true,
  },
  {
    ...endToEnd,
    name: 'distributed end to end',
    files: suites([...APART, ...PAYS, ...(isWhole() ? PAYS_TOO : [])]),
    workers: 3,
    timeoutMs: 18 * MINUTE_MS,
    distributed: true,
  },
  {
    ...endToEnd,
    name: 'distributed end to end, of partners',
    files: suites([...PARTNERS, ...SETTING]),
    workers: 3,
    timeoutMs: 10 * MINUTE_MS,
    distributed: true,
    shared: true,
  },
];

// A suite that got another name would lose its second profile without a word.
const gone = [...PARTNERS, ...SETTING, ...APART, ...PAYS, ...PAYS_TOO, ...ON_EVM_CHAINS].filter(
  (name) => !existsSync(join(ROOT, `apps/e2e/src/${name}.e2e.spec.ts`)),
);
if (gone.length > 0) throw new Error(`tools/test/test.mjs names suites that are not there: ${gone.join(', ')}`);

const LONGEST_FIRST = join(ROOT, 'tools/test/longest-first.mjs');
const NODE_FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

const { project, only, jestArgs } = readArguments(process.argv.slice(2));
const projects = project === undefined ? await allProjects() : [relative(ROOT, resolve(project))];
/** Which run this is, for libs/testing/src/depth.ts. */
const ofThisRun = {
  VUKA_TEST_DEPTH: isWhole() ? 'whole' : (process.env.VUKA_TEST_DEPTH ?? 'commit'),
  VUKA_TEST_DRAW: process.env.VUKA_TEST_DRAW ?? String(randomInt(2 ** 32)),
};
Object.assign(process.env, ofThisRun);
/** An empty VUKA_TEST_PROGRAMS asks for the files. */
const withBundles = !isWhole() && process.env.VUKA_TEST_PROGRAMS !== '';
delete process.env.VUKA_TEST_PROGRAMS;
const total = { passed: 0, failed: 0, skipped: 0 };
const unsteady = [];

endBySignal();
// One project's tests are run by nx, several at a time: what is installed stays as it is under them.
const withInstall = project === undefined;
await prepare({ withInstall, withBuild: false });
let servers;
let lent;
try {
  for (const phase of PHASES) {
    if ((await projectsWith(phase)).length === 0) continue;
    if (phase.needsBuild) await prepare({ withInstall, withBuild: true });
    // Where libs/testing finds what it starts; a whole run starts the files, as people do.
    if (phase.needsBuild && withBundles)
      process.env.VUKA_TEST_PROGRAMS = await step('bundle the programs', () => bundlePrograms());
    if (phase.needsServers) servers ??= await lookForServers();
    if (phase.distributed && !servers.canRunStack) continue;
    if (lent !== undefined && lent.profile !== sharedProfile(phase)) await giveBack();
    if (phase.shared && !(await lend(phase))) continue;
    count(await step(`${phase.name} tests`, () => runPhase(phase)));
  }
  await giveBack();
} finally {
  await servers?.stop();
}

const nothingRan = project === undefined && only === undefined && total.passed + total.failed === 0;
if (nothingRan) say('\nNo test ran.');
for (const part of unsteadyNotice(unsteady)) say(`\n${part}`);
if (servers?.notice.length > 0) say(`\n${servers.notice.join('\n')}`);
if (ofThisRun.VUKA_TEST_DEPTH === 'commit')
  say(
    `\nA commit's depth: what is only repetition was drawn (VUKA_TEST_DRAW=${ofThisRun.VUKA_TEST_DRAW}); all of it: npm test -- --whole`,
  );
total.failed += servers?.failures ?? 0;
say(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed > 0 || nothingRan ? 1 : 0;

/** What was started for all suites ends with this command (they listen for `exit`); what is being run is told of the signal first, and goes before it (run.mjs). */
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

/** null: its suites share nothing. */
function sharedProfile({ shared = false, distributed = false }) {
  return shared ? (distributed ? 'distributed' : 'embedded') : null;
}

/** Whether there is one that this phase's suites can share. Where it does not start, that is the phase's failure, and the others run. */
async function lend(phase) {
  try {
    lent ??= await lendVuka({
      profile: sharedProfile(phase),
      scenes: PARTNERS.length + MOST_TRIED_AGAIN,
      servers: servers.env,
      whole: jestArgs.length === 0,
    });
    return true;
  } catch (error) {
    say(`✗ what suites of ${phase.name} share did not start: ${error.message}`);
    count({ passed: 0, failed: 1, skipped: 0 });
    return false;
  }
}

async function giveBack() {
  if (lent !== undefined) count(await lent.end());
  lent = undefined;
}

async function runPhase(phase) {
  const left = await leftOut(phase);
  if (left.length > 0) say(`… not asked of this profile by this run's draw: ${left.join(', ')}`);
  const chainless = withoutChains(phase).filter((name) => !left.includes(name));
  if (chainless.length > 0) say(`! SKIPPED for want of anvil: ${chainless.join(', ')}`);
  const without = [...left, ...chainless];
  const first = await runSuites(phase, phase.workers, [
    '--testPathPatterns',
    patternOf(phase.files),
    ...(without.length > 0 ? ['--testPathIgnorePatterns', '/node_modules/', suites(without)] : []),
  ]);
  first.counts.skipped += chainless.length;
  // A part of the tests may be in other phases; of all of them each phase has some.
  const isEmpty =
    project === undefined &&
    only === undefined &&
    jestArgs.length === 0 &&
    first.counts.passed + first.counts.failed === 0;
  if (isEmpty) {
    say(`✗ no test of the ${phase.name} tests ran`);
    return { ...first.counts, failed: 1 };
  }
  const again = worthAnotherTry(first);
  if (again.length === 0) return first.counts;
  say(
    `… once more, alone${phase.isPure ? '' : ' (to tell more of it: it has failed)'}: ${again.map(({ path }) => path).join(', ')}`,
  );
  const second = await runSuites(phase, 1, ['--runTestsByPath', ...again.map(({ path }) => join(ROOT, path))]);
  const judged = judgeSecondTry({ first, second, again, isPure: phase.isPure === true });
  unsteady.push(...judged.unsteady);
  return judged.counts;
}

/** Suites of this phase that cannot run: none of them would have a chain to pay on. Each counts as one skipped. */
function withoutChains({ needsBuild = false, files }) {
  if (!needsBuild || servers?.skipsChains !== true) return [];
  return ON_EVM_CHAINS.filter((name) => new RegExp(patternOf(files)).test(`/apps/e2e/src/${name}.e2e.spec.ts`));
}

/** Suites of this phase that the run's draw leaves out; whoever names suites gets what they name, and where only one profile can run it is asked all. */
async function leftOut({ needsBuild = false, distributed = false, files }) {
  if (!needsBuild || isWhole() || only !== undefined || jestArgs.length > 0) return [];
  const { drawn } = await import(pathToFileURL(join(ROOT, 'libs/testing/dist/depth.js')).href);
  const without = (names, kept) => names.filter((name) => !kept.includes(name));
  const second = servers?.canRunStack ? drawn('asked of the second profile', EITHER, OF_SECOND) : [];
  const left = distributed
    ? [...without(EITHER, second), ...drawn('left to the first profile', [[TOO], []], 1)[0]]
    : second;
  return left.filter((name) => new RegExp(files).test(`/${name}.e2e.spec.ts`));
}

async function runSuites(phase, workers, which) {
  const { name, timeoutMs, distributed = false, shared = false } = phase;
  const folder = await mkdtemp(join(tmpdir(), 'vuka-test-'));
  const report = join(folder, 'report.json');
  try {
    const args = [
      '--projects',
      ...(await projectsWith(phase)),
      ...which,
      '--maxWorkers',
      String(workers),
      '--passWithNoTests',
      '--testSequencer',
      LONGEST_FIRST,
      '--forceExit',
      '--testTimeout',
      String(TEST_MS),
      '--json',
      '--outputFile',
      report,
      ...jestArgs,
    ];
    // --json prints the report as well as writing it; the reporters' own lines are on stderr.
    const onLine = (line) => !line.startsWith('{"num') && say(line);
    const { code, timedOut } = await runScript('node_modules/jest/bin/jest.js', args, {
      nodeFlags: NODE_FLAGS,
      env: {
        NODE_ENV: 'test',
        ...servers?.env,
        ...(distributed && { VUKA_TEST_PROFILE: 'distributed' }),
        ...(shared && lent.env),
      },
      onLine,
      timeoutMs,
    });
    if (timedOut) say(`✗ the ${name} tests were stopped after ${timeoutMs / 60_000} minutes`);
    const told = existsSync(report) ? JSON.parse(await readFile(report, 'utf8')) : undefined;
    const counts = told === undefined ? { passed: 0, failed: 1, skipped: 0 } : countsOf(told);
    // Whatever else makes Jest fail (a bad option, a crash after the last suite) must not pass for success.
    return {
      counts: code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts,
      failures: failuresOf(told),
      timedOut,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Suites that failed, which tests of theirs, and in what words. */
function failuresOf(told) {
  return (told?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .map(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      return {
        path: relative(ROOT, name),
        messages: [message, ...failed.flatMap(({ failureMessages }) => failureMessages)].join('\n'),
        tests: failed.length > 0 ? failed.map(({ fullName }) => fullName) : ['it could not be run'],
      };
    });
}

/** Once for all phases: Kafka and Redis of this machine, fetched the first time. What looks for them runs from the build. */
async function lookForServers() {
  await prepare({ withInstall, withBuild: true, quietly: true });
  return step('look for Kafka and Redis', async (tell) => shareServers(await findServers(tell)));
}

/** Asked for by `--whole`, or by whoever set it for all that is run. */
function isWhole() {
  return process.argv.includes('--whole') || process.env.VUKA_TEST_DEPTH === 'whole';
}

/** A suite that could not run has no tests to count: it counts as one that failed. */
function countsOf(report) {
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function readArguments(args) {
  const rest = [...args];
  const valueOf = (option) => {
    const at = rest.indexOf(option);
    return at === -1 ? undefined : (rest.splice(at, 2)[1] ?? '.');
  };
  return {
    project: valueOf('--project'),
    only: valueOf('--files'),
    jestArgs: rest.filter((word) => word !== '--whole'),
  };
}

async function allProjects() {
  const found = [];
  for (const group of ['libs', 'apps']) {
    for (const name of await readdir(join(ROOT, group))) found.push(`${group}/${name}`);
  }
  return [...found, 'tools'].filter((folder) => existsSync(join(ROOT, folder, 'jest.config.js')));
}

/** What Jest matches with a path: the phase's files, of which `--files` wants some. */
function patternOf(files) {
  return only === undefined ? files : `^(?=.*(?:${only})).*${files}`;
}

/** Jest reads every file's name of each project that it is told of. */
async function projectsWith({ files }) {
  const pattern = new RegExp(patternOf(files));
  const having = await Promise.all(
    projects.map(async (folder) => {
      const inside = folder === 'tools' ? folder : join(folder, 'src');
      const names = await readdir(join(ROOT, inside), { recursive: true }).catch(() => []);
      return names.some((name) => pattern.test(`/${inside}/${name}`) && !name.includes('node_modules'));
    }),
  );
  return projects.filter((_, at) => having[at]);
}
