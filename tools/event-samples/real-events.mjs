// Events as a build wrote them to its outbox: of a sandbox that is started and used here, or of a data folder captured earlier.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

import { connectToRunning } from '../previous-build/database.mjs';
import { Partners } from '../previous-build/partner.mjs';
import { ROOT } from '../run.mjs';

const READY_WITHIN_MS = 60_000;
const ENDED_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
/** Takes nothing: what is written about a webhook does not depend on its receiver. */
const CALLBACK = 'http://127.0.0.1:9/hook';

/** Each way a payout ends that tells partners something of its own shape (docs/sandbox-rail.md), by the recipient's last four digits. */
const ENDS = { 6789: 'COMPLETE', '0000': 'FAILED', '0001': 'FAILED', '0003': 'FAILED', '0005': 'REVERSED', '0006': 'COMPLETE', '0008': 'COMPLETE', '0010': 'COMPLETE' };
const CURRENCY = 'kes';
const BANK = '01';

/** By type, with their topic, in the order they were written. */
export async function writtenEvents(checkout, tell) {
  const sandbox = await startSandbox(checkout);
  const { client } = await connectToRunning(sandbox.folder);
  try {
    const partners = new Partners(sandbox.baseUrl, sandbox.partners);
    const expected = await payOut(partners);
    tell(`${Object.keys(expected).length} payouts accepted`);
    await ended(client, expected);
    const { rows } = await client.query('select topic, envelope from payments.outbox order by xid, id');
    return byType(rows);
  } finally {
    await client.end();
    await sandbox.stop();
  }
}

/** The same of a capture: what that build had written when it was killed. */
export function capturedEvents(commit) {
  const capture = JSON.parse(gunzipSync(readFileSync(join(ROOT, `apps/e2e/src/previous-build/${commit}.json.gz`))));
  const { columns, rows } = capture.services.payments.tables.outbox;
  const names = columns.map(([name]) => name);
  const [topic, envelope, id] = ['topic', 'envelope', 'id'].map((name) => names.indexOf(name));
  const inOrder = [...rows].sort((one, other) => Number(one[id]) - Number(other[id]));
  return byType(inOrder.map((row) => ({ topic: row[topic], envelope: row[envelope] })));
}

function byType(rows) {
  const events = {};
  for (const { topic, envelope } of rows) {
    const parsed = readable(envelope);
    // A capture also holds what was written to be a dead letter.
    if (typeof parsed?.type === 'string') ((events[parsed.type] ??= { topic, envelopes: [] }).envelopes).push(parsed);
  }
  return events;
}

function readable(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Both operations, with and without somebody to tell. Gives the status that each code has to come to. */
async function payOut(partners) {
  const expected = {};
  for (const [ends, status] of Object.entries(ENDS)) {
    for (const [place, callback] of [CALLBACK, undefined].entries()) {
      const reference = `sample-${ends}-${place}`;
      const body = { amount: 1500, account_number: `012345${ends}`, bank_code: BANK, reference, ...(callback && { callback_url: callback }) };
      const { status: http, answer } = await partners.payOut('bank-transfer', CURRENCY, body);
      if (http !== 200) throw new Error(`${reference} was answered ${http} ${answer}`);
      expected[reference] = status;
    }
  }
  return expected;
}

async function ended(client, expected) {
  const giveUpAt = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const { rows } = await client.query('select transaction_code, state from payments.transactions');
    const open = rows.filter(({ transaction_code, state }) => expected[transaction_code] !== undefined && expected[transaction_code] !== state);
    if (open.length === 0) return;
    if (Date.now() > giveUpAt) throw new Error(`not ended as documented: ${JSON.stringify(open)}`);
    await pause(100);
  }
}

async function startSandbox(checkout) {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-samples-'));
  const logFile = `${folder}.log`;
  const log = openSync(logFile, 'a');
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, VUKA_DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1' };
  const child = spawn(process.execPath, ['apps/standalone/dist/main.js'], { cwd: checkout, env, stdio: ['ignore', log, log] });
  closeSync(log);
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([exit, pause(STOP_WITHIN_MS, undefined, { ref: false })]);
    if (child.exitCode === null) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(logFile, { force: true });
  };
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (!readFileSync(logFile, 'utf8').includes('Vuka is ready')) {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error(`the build did not start, see ${logFile}`);
    await pause(25);
  }
  const { base_url, partners } = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  return { folder, baseUrl: base_url, partners, stop };
}
