// `npm run rehearse`: Vuka with VUKA_ENV=live, its settings and refusals, against simulators of pawaPay, Paystack and
// Chapa and nine local chains. Pays, sends back, moves their clocks, ends with the books, and stops. Ends with 1 if a
// promise is broken.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { prepare } from '../command/prepare.mjs';
import { elapsed, say } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';
import { Screen } from '../demo/screen.mjs';

const HELP = `npm run rehearse [-- --unsafe | --no-unsafe] [--part N/OF] [--brief] [--json FILE] [--keep]
  the real thing without real money: live settings, three providers' simulators, nine local chains, in under three minutes
  --unsafe     only tries each unsafe setting; --no-unsafe leaves that out
  --part N/OF  tries one of so many parts of the unsafe settings, such as 2/4
  --brief      four chains instead of nine, at least one of each family
  --json FILE  writes what happened
  --keep       leaves the folder with logs and settings; a rehearsal that fails leaves it anyway
  Needs Java 17 or newer for Kafka. Ends with 1 where a promise is not kept.
`;

const options = readOptions();
process.chdir(ROOT);
await prepare({ withBuild: true, quietly: true });
await import('reflect-metadata');
const [{ paintFor }, { Stage }, { rehearse, refuseUnsafe }] = await Promise.all([
  import('../../libs/terminal/dist/paint.js'),
  import('./stage.mjs'),
  import('./rehearse.mjs'),
]);

const from = Date.now();
const paint = paintFor(process.stdout, process.env);
const screen = new Screen(paint, true);
const report = {};
const stage = await Stage.open({ isBrief: options.brief === true });
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
])
  process.once(signal, () => void stage.strike({ keepsFolder: true }).finally(() => process.exit(128 + number)));

say(`${paint.bold('Vuka')}  live, rehearsed: settings and refusals of production, and no real money`);
try {
  await (options.unsafe === true ? stage.prepareFiles() : stage.prepare());
  if (options.unsafe !== false) report.refusals = await refuseUnsafe({ stage, screen, part: options.part });
  if (options.unsafe !== true) await rehearse({ stage, screen, report });
} catch (error) {
  screen.promise(false, `the rehearsal goes to its end: ${error.stack}`);
}
const { broken } = screen;
const keepsFolder = options.keep === true || broken.length > 0;
await stage.strike({ keepsFolder });
Object.assign(report, { ok: broken.length === 0, broken, took_ms: Date.now() - from });
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
say(
  broken.length === 0
    ? `\n${paint.green(paint.bold('Every promise was kept.'))} ${paint.dim(`(${elapsed()})`)}`
    : `\n${paint.red(paint.bold(`${String(broken.length)} promises were not kept:`))}\n${broken.map((text) => `  ✗ ${text}`).join('\n')}`,
);
if (keepsFolder) say(`Logs, settings and secrets of the rehearsal: ${stage.folder}`);
process.exit(broken.length === 0 ? 0 : 1);

function readOptions() {
  const flags = { unsafe: { type: 'boolean' }, part: { type: 'string', default: '1/1' }, brief: { type: 'boolean' }, json: { type: 'string' }, keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } }; // prettier-ignore
  try {
    const { values } = parseArgs({ options: flags, allowNegative: true });
    const part = values.part.split('/').map(Number);
    if (!/^\d+\/\d+$/.test(values.part) || part[0] < 1 || part[0] > part[1])
      throw new Error(`--part must be like 2/4, not ${values.part}`);
    if (!values.help) return { ...values, part };
    say(HELP);
  } catch (error) {
    process.stderr.write(`✗ ${error.message}\n${HELP}`);
    process.exit(2);
  }
  return process.exit(0);
}
