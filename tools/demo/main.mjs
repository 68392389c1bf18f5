// `npm run demo`: a tour of the sandbox that checks its own claims, on the running Vuka (VUKA_DATA_DIR) or its own.
// `-- --stack`: on the running stack or its own. `--fast`: no pauses. Exits with 1 if a promise is broken.
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { ACTS } from './audit-entries.mjs';
import { partnerApi } from './partner-api.mjs';
import { startReceiver } from './receiver.mjs';
import { Screen } from './screen.mjs';
import { setStage } from './stage.mjs';
import { newTour } from './tour.mjs';
import { prepare } from '../command/prepare.mjs';
import { elapsed, giveUp, say, sayTo } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

const args = process.argv.slice(2);
const unknown = args.find((word) => !['--fast', '--stack', '--help', '-h'].includes(word));
if (unknown !== undefined) {
  process.stderr.write(`✗ ${unknown} is no option of the demo.\n  npm run demo [-- --stack] [--fast]\n`);
  process.exit(2);
}
if (args.includes('--help') || args.includes('-h')) {
  say(
    'npm run demo [-- --stack] [--fast]: a tour of the sandbox, a minute and a half; --fast leaves out the pauses.\nIt uses the sandbox that runs on VUKA_DATA_DIR (.vuka), or starts one of its own and removes it; with --stack the stack that runs\n(VUKA_STACK_DIR, .vuka-stack), or one of its own. Ends with 1 where a promise is not kept.',
  );
  process.exit(0);
}

process.chdir(ROOT);
sayTo(process.stderr);
await prepare({ withBuild: true, quietly: true });
sayTo(process.stdout);
await import('reflect-metadata');
const [{ runCommand }, { paintFor, plainPaint }, { runSandbox }] = await Promise.all([
  import('../../apps/cli/dist/run-command.js'),
  import('../../libs/terminal/dist/paint.js'),
  import('../../apps/sandbox/dist/command/run-sandbox.js'),
]);

const paint = paintFor(process.stdout, process.env);
const screen = new Screen(paint, args.includes('--fast'));
say(`${paint.bold('Vuka')}  a partner sends money, and everything goes wrong that can`);
const onStack = args.includes('--stack');
const stage = await setStage({ onStack }, (text) => say(paint.dim(text)));
let isLeaving = false;
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
])
  process.on(signal, () => void leave(number));

try {
  await takeTour();
} catch (error) {
  screen.promise(false, `the tour goes to its end: ${error.message}`);
} finally {
  if (!isLeaving) await stage.strike();
}
const { broken } = screen;
say(
  broken.length === 0
    ? `\n${paint.green(paint.bold('Every promise was kept.'))} ${paint.dim(`(${elapsed()})`)}`
    : `\n${paint.red(paint.bold(`${broken.length} promises were not kept:`))}\n${broken.map((text) => `  ✗ ${text}`).join('\n')}`,
);
if (broken.length === 0)
  say(
    paint.dim(
      stage.isOurs
        ? `Your own sandbox: ${onStack ? 'npm run stack' : 'npm start'}. Its numbers: docs/partners/sandbox.md. Its chains: docs/partners/sandbox-chains.md. When something is stuck: npm run vuka -- stuck`
        : `Look around: ${onStack ? `VUKA_DATA_DIR=${shortest(stage.dataDir)} ` : ''}npm run vuka -- stuck`,
    ),
  );
process.exitCode = broken.length === 0 ? 0 : 1;

async function takeTour() {
  const receiver = await startReceiver(stage.partner.webhook_secret, (hook) => screen.webhook(hook));
  const api = partnerApi(stage.baseUrl, stage.partner, (path, body, answer) => screen.call(path, body, answer));
  say(
    paint.dim(
      `API ${stage.baseUrl}, partner "${stage.partner.name}", webhooks to ${receiver.url}, data in ${stage.dataDir}`,
    ),
  );
  const { dataDir, partner, other, chains, notices, isOurs } = stage;
  const theirs = { name: other.name, api: partnerApi(stage.baseUrl, other, () => undefined) };
  const tour = newTour({
    api,
    receiver,
    screen,
    paint,
    admin: adminOf(dataDir),
    provider: providerOf(dataDir),
    sandbox: sandboxOf(dataDir),
    partner,
    other: theirs,
    chains,
    notices,
    isOurs,
  });
  try {
    for (const act of ACTS) await act(tour);
  } finally {
    await receiver.stop();
  }
}

function adminOf(dataDir) {
  const env = { ...process.env, VUKA_DATA_DIR: dataDir };
  const run = async (words, ink) => {
    const lines = [];
    const code = await runCommand(words, {
      env,
      say: (text) => lines.push(text),
      complain: (text) => lines.push(text),
      paint: ink,
    });
    return { code, text: lines.join('\n') };
  };
  return {
    show: async (...words) => {
      const { code, text } = await run(words, paint);
      screen.quote(words.map((word) => (/^[\w.:-]+$/.test(word) ? word : `"${word}"`)).join(' '), text);
      return code;
    },
    read: async (...words) => {
      const answer = JSON.parse((await run([...words, '--json'], plainPaint)).text);
      if ('error' in answer) throw new Error(`vuka ${words.join(' ')}: ${answer.error.message}`);
      return answer;
    },
  };
}

function sandboxOf(dataDir) {
  /** Throws what is refused. */
  const run = async (...words) => {
    const [said, told] = [[], []];
    const code = await runSandbox([...words, '--data-dir', dataDir], {
      env: process.env,
      say: (text) => said.push(text),
      tell: (text) => told.push(text),
    });
    if (code !== 0) throw new Error(told.join(' '));
    return { said, told };
  };
  return {
    run,
    transfer: async ({ chain, asset, amount, to }, ...more) =>
      (await run('transfer', '--chain', chain, '--asset', asset, '--amount', amount, '--to', to, ...more)).said.at(-1),
  };
}

function providerOf(dataDir) {
  return {
    recordOf: async (id) => {
      const read = async (name) => JSON.parse(await readFile(join(dataDir, name), 'utf8'));
      const [{ base_url: baseUrl, secret }] = (await read('providers.json')).providers;
      const { credential } = (await read('provider-secrets.json'))[secret];
      return (
        await fetch(`${baseUrl}/v1/payouts/${id}`, { headers: { authorization: `Bearer ${credential}` } })
      ).json();
    },
  };
}

function shortest(path) {
  const fromHere = relative(ROOT, path);
  return fromHere.startsWith('..') ? path : fromHere;
}

async function leave(signalNumber) {
  if (isLeaving) giveUp('Left in a hurry.', stage.isOurs ? `The sandbox in ${stage.dataDir} may still run.` : '');
  isLeaving = true;
  await stage.strike();
  process.exit(128 + signalNumber);
}
