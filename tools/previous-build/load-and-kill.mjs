import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { UNREACHED_LIMITS } from '../unreached-limits.mjs';
import { connectToRunning } from './database.mjs';
import { Partners, startReceiver } from './partner.mjs';

const TROUBLE = join(import.meta.dirname, 'rail-trouble.mjs');
const READY_WITHIN_MS = 60_000;
const STATE_WITHIN_MS = 30_000;
/** Transfers on their way when the end comes: some that are being paid, and some that are just being accepted. */
const BURST_FIRST = 24;
const BURST_SECOND = 40;
const BANKS = { kes: '01', ngn: '044', mwk: '82310dd1-ec9b-4fe7-a32c-2f262ef08681' };

/**
 * Starts the build of `checkout` on a new data folder, brings transactions into every state a rail and a partner can bring
 * them into, and kills it, with its database, in the middle of a burst; `burstLeadMs` is what the first half of the burst has
 * before the second. Gives the folder and what the partners know.
 */
export async function loadAndKill(checkout, burstLeadMs, tell) {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-previous-'));
  const build = await startBuild(checkout, folder);
  const receiver = await startReceiver(build.partners);
  const database = await connectToRunning(folder);
  try {
    const partners = new Partners(build.baseUrl, build.partners);
    const openings = await partners.wallets();
    const work = new Load(partners, receiver, database.client);
    await work.ended();
    tell('some have ended and were told');
    await work.deadLetter();
    tell('one webhook is a dead letter');
    await work.troubled();
    tell('some are in doubt, parked, in review and not yet told');
    await work.burst(burstLeadMs, () => kill(build.child, database.pid));
    const killedAt = new Date().toISOString();
    tell('killed in a burst');
    return { folder, killedAt, memory: { callbackOrigin: receiver.origin, openings, sent: partners.sent, webhooks: receiver.taken } };
  } finally {
    await receiver.stop();
    // Its server is gone, and would not answer a farewell.
    database.client.end().catch(() => undefined);
    if (build.child.exitCode === null && build.child.signalCode === null) await kill(build.child, database.pid);
  }
}

async function startBuild(checkout, folder) {
  const { PATH, HOME } = process.env;
  const logFile = `${folder}.log`;
  const log = openSync(logFile, 'a');
  // Without chains: the load has no deposits, and their nodes would outlive the kill.
  const env = { PATH, HOME, VUKA_DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1', VUKA_SANDBOX_CHAINS: 'none', ...UNREACHED_LIMITS };
  const child = spawn(process.execPath, ['--import', TROUBLE, 'apps/standalone/dist/main.js'], { cwd: checkout, env, stdio: ['ignore', log, log] });
  closeSync(log);
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (!readFileSync(logFile, 'utf8').includes('Vuka is ready')) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > giveUpAt) throw new Error(`the build did not start, see ${logFile}`);
    await pause(25);
  }
  const { base_url, partners } = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  return { child, baseUrl: base_url, partners };
}

/** First the one that would start the other again. */
async function kill(child, postgresPid) {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  process.kill(postgresPid, 'SIGKILL');
  await ended;
}

class Load {
  number = 0;

  constructor(partners, receiver, client) {
    this.partners = partners;
    this.receiver = receiver;
    this.client = client;
  }

  /** `ends`: the recipient's last four digits; `trouble`: the first four (rail-trouble.mjs); `path`: where the webhooks go, null for nowhere. */
  async send(what, options = {}) {
    const { status, answer } = await this.post(what, options);
    if (status !== 200) throw new Error(`a transfer was answered ${status} ${answer}`);
  }

  /** `phone`: a payout to a phone in shillings instead of a bank transfer. */
  post(what, { ends = '7890', trouble = '1000', currency = 'kes', path = '/hook', key = false, partner = 0, phone = false } = {}) {
    this.number += 1;
    const reference = `${what}-${this.number}`;
    const number = String(this.number).padStart(4, '0');
    const recipient = phone
      ? { type: 'MOBILE', shortcode: `07${number}${ends}`, mobile_network: 'Safaricom', account_name: 'Jane Doe' }
      : { account_number: `${trouble}${number.slice(-2)}${ends}`, bank_code: BANKS[currency] };
    const body = { amount: 100 + this.number, ...recipient, reference, ...(path !== null && { callback_url: this.receiver.origin + path }) };
    return this.partners.payOut(phone ? 'disburse' : 'bank-transfer', currency, body, { partner, ...(key && { idempotencyKey: `key-${reference}` }) });
  }

  async ended() {
    await Promise.all([
      ...['7890', '7890', '0000', '0001'].map((ends, index) => this.send('ended', { ends, key: index % 2 === 0 })),
      ...['7890', '0000'].map((ends) => this.send('ended', { ends, phone: true })),
      this.send('ended', { currency: 'ngn' }),
      this.send('ended', { currency: 'mwk' }),
      this.send('ended', { partner: 1 }),
      this.send('ended', { path: null }),
    ]);
    await this.until('all have ended', `select count(*) = 0 as yes from payments.transactions where state not in ('COMPLETE', 'FAILED')`);
    await this.until('and were told', `select count(*) = 18 and bool_and(state <> 'pending') as yes from notifier.deliveries`);
  }

  /** A consumer that cannot take one event in, until somebody repairs it. The event is not a final one: that it is missing breaks no promise. */
  async deadLetter() {
    await this.client.query(`alter table notifier.deliveries add constraint trouble check (callback_url not like '%/hook?dead' or is_final) not valid`);
    await this.send('dead', { path: '/hook?dead' });
    await this.until('it is a dead letter', 'select count(*) = 1 as yes from notifier.dead_letters');
    await this.client.query('alter table notifier.deliveries drop constraint trouble');
  }

  async troubled() {
    await Promise.all(
      ['9101', '9101', '9102', '9102', '9105', '9105', '9106', '9106', '9107'].map((trouble, index) => this.send('troubled', { trouble, key: index % 2 === 0 })),
    );
    await Promise.all(['/broken', '/broken', '/deaf', '/deaf'].map((path) => this.send('untold', { path })));
    await this.until('their states', `
      select count(*) filter (where state = 'IN_DOUBT') >= 4 and count(*) filter (where state = 'QUEUED' and park_deadline is not null) >= 1
         and count(*) filter (where state = 'REVIEW') = 1 and count(*) filter (where state = 'SUBMITTED') >= 2 as yes from payments.transactions`);
    await this.until('their webhooks were tried', `select count(*) >= 4 as yes from notifier.deliveries where state = 'pending' and attempts >= 1`);
  }

  /** The notifier cannot mark events any more, two calls hang at the rail, partners send on: and then it ends. */
  async burst(leadMs, end) {
    await this.client.query('begin; lock table notifier.inbox in access exclusive mode');
    await Promise.all(['9103', '9104'].map((trouble) => this.send('hanging', { trouble })));
    await this.until('both hang', `select count(*) >= 2 as yes from payments.attempts where state = 'SENDING' and next_at is not null`);
    const first = this.wave(BURST_FIRST, ['7890', '7890', '0000', '0001']);
    await pause(leadMs);
    const second = this.wave(BURST_SECOND, ['7890', '0005', '0000', '7890', '0002', '0001', '0006', '7890', '0008', '0010']);
    // Some of the last ones have their answer, the others have an open outcome.
    await Promise.race(second);
    await end();
    await Promise.all([...first, ...second]);
  }

  wave(count, numbers) {
    return Array.from({ length: count }, (_, index) => this.post('burst', { ends: numbers[index % numbers.length], key: index % 3 === 0, partner: index % 2, phone: index % 4 === 3 }));
  }

  async until(what, sql) {
    for (const giveUpAt = Date.now() + STATE_WITHIN_MS; ; await pause(20)) {
      const { rows } = await this.client.query(sql);
      if (rows[0].yes) return;
      if (Date.now() > giveUpAt) throw new Error(`${what}: not within ${STATE_WITHIN_MS} ms`);
    }
  }
}
