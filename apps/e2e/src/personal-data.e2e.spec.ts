import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSecrets, openDataFolder } from '@vuka/data-folder';
import { CURRENCIES, requestFingerprint } from '@vuka/domain';
import { keptFingerprint } from '@vuka/runtime';
import { FIXTURE_WITHIN_MS, type Fixture, openFixture, until } from '@vuka/testing';

import { filesIn, type Mark, rowsOf, Scan } from './personal-data.spec-support.js';
import { connectToRunning } from './superuser.spec-support.js';

const ACCOUNT = '8867314862';
const PHONE = '0712868862';
/** What the sandbox provider says of an account that ends so. */
const NAME = 'TEST 4862';
const ACCOUNT_NAME = 'Wanjiku Planted';
const TOKEN = 'PlantedToken7f3c';
const DEFAULT_TOKEN = 'PlantedDefault91';
const WRONG_SECRET = 'PlantedSecretOfNobody0123456789';
const SENT = { amount: 1500, account_number: ACCOUNT, bank_code: '01', reference: 'scan-1' };

let fixture: Fixture;
let scan: Scan;
let tables: { table: string; text: string }[];
const outside: [place: string, text: string][] = [];

/** Plants marked texts everywhere that the public interface takes any. */
async function plant(): Promise<void> {
  const { one, receiver } = fixture;
  const callback_url = receiver.url(`/hook?token=${TOKEN}&name=${encodeURIComponent(ACCOUNT_NAME)}`);
  await one.send({
    method: 'POST',
    path: '/v1/webhooks/endpoint',
    body: { url: receiver.url(`/default?token=${DEFAULT_TOKEN}`) },
  });
  const answers = [
    await one.bankTransfer('KES', { ...SENT, callback_url }),
    await one.disburse('KES', {
      amount: 100,
      type: 'MOBILE',
      shortcode: PHONE,
      mobile_network: 'Safaricom',
      reference: 'scan-2',
    }),
    await one.disburse('NGN', {
      amount: 2000,
      account_name: ACCOUNT_NAME,
      account_number: ACCOUNT,
      bank_code: '044',
      bank_name: 'Access Bank',
      reference: 'scan-3',
      callback_url,
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await one.send({
    path: '/v1/validation/kes',
    body: { type: 'MOBILE', shortcode: PHONE, mobile_network: 'Safaricom' },
  });
  const refused = [
    await one.send({
      path: '/kes/bank-transfer',
      body: { ...SENT, account_number: `${ACCOUNT}!`, reference: 'scan-4' },
    }),
    await one.send({ path: '/kes/bank-transfer', body: { ...SENT, bank_code: ACCOUNT, reference: 'scan-5' } }),
    await one.send({
      path: '/kes/bank-transfer',
      body: { ...SENT, reference: 'scan-6', callback_url: `ftp://x.test/?token=${TOKEN}` },
    }),
    await one.send({ path: '/kes/bank-transfer', body: `{"account_number": "${ACCOUNT}",` }),
    await one.send({
      path: '/kes/bank-transfer',
      body: SENT,
      headers: { 'x-api-key': `vk_test_consumer_nobody_${WRONG_SECRET}` },
    }),
    await one.bankTransfer('KES', { ...SENT, amount: 1600 }),
  ];
  for (const { status, text } of refused) {
    expect(status).toBeGreaterThanOrEqual(400);
    outside.push(['error answer', text]);
  }
  const codes = ['scan-1', 'scan-2', 'scan-3'];
  for (const code of codes)
    await until(async () => (await one.status(code))?.status === 'COMPLETE', {
      withinMs: 60_000,
      what: `${code} is COMPLETE`,
    });
  for (const code of codes) await receiver.waitForFinal(code, 60_000);
}

beforeAll(async () => {
  fixture = await openFixture({ profile: 'embedded', env: { LOG_LEVEL: 'debug' } });
  const { one, receiver, vuka } = fixture;
  const key = vuka.partner().consumer_key;
  const marks: [Mark, string][] = [
    ['number', ACCOUNT], ['number', PHONE.slice(1)], ['name', NAME], ['name', ACCOUNT_NAME], ['name', encodeURIComponent(ACCOUNT_NAME)],
    ['token', TOKEN], ['token', DEFAULT_TOKEN], ['key', WRONG_SECRET], ['key', key.slice(key.lastIndexOf('_') + 1)], ['key', vuka.partner().webhook_secret],
  ]; // prettier-ignore
  scan = new Scan(marks);
  await plant();
  for (const code of ['scan-1', 'scan-2', 'scan-3']) outside.push(['status', JSON.stringify(await one.status(code))]);
  outside.push(['webhook', JSON.stringify(receiver.received)]);
  outside.push(['deliveries', (await one.send({ path: '/v1/webhooks/deliveries', body: { limit: 100 } })).text]);
  const db = await connectToRunning(vuka.dataDir);
  tables = await rowsOf(db);
  await db.query('checkpoint');
  await db.close();
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

describe('planted numbers, names, tokens and keys', () => {
  it('are only where the list says that they may be', () => {
    for (const [place, text] of outside) scan.look(place, text);
    for (const { table, text } of tables) scan.look(`table ${table}`, text);
    const log = readFileSync(fixture.vuka.logFile, 'utf8').split('\n');
    scan.look('log', log.filter((line) => line.startsWith('{')).join('\n'));
    scan.look('log banner', log.filter((line) => !line.startsWith('{')).join('\n'));
    for (const { name, text } of filesIn(fixture.vuka.dataDir)) scan.look(`folder ${name}`, text);
    expect(scan.leaks()).toEqual([]);
    expect(scan.idle()).toEqual([]);
  });
});

/** The numbers around the planted one, in each form that Vuka writes. */
function* guesses(): Generator<string> {
  for (let last = 0; last < 10_000; last += 1) {
    const account = `${ACCOUNT.slice(0, 6)}${String(last).padStart(4, '0')}`;
    yield account;
    yield `KES:bank:01:${account}`;
    yield requestFingerprint((text) => text, 'bank_transfer', CURRENCIES.KES, { ...SENT, account_number: account });
    const phone = `${PHONE.slice(0, 6)}${String(last).padStart(4, '0')}`;
    for (const form of [phone, `254${phone.slice(1)}`, `+254${phone.slice(1)}`, `KES:mobile:${phone}`]) yield form;
  }
}

describe('a copy of the database without the keys', () => {
  it('yields no number: nothing in it is a digest that anybody can make', () => {
    const tokens = new Set(tables.flatMap(({ text }) => text.match(/[A-Za-z0-9+/_-]{20,}/g) ?? []));
    expect(tokens.size).toBeGreaterThan(100);
    const hits: string[] = [];
    for (const guess of guesses())
      for (const algorithm of ['sha256', 'sha1', 'md5', 'sha512'] as const) {
        const digest = createHash(algorithm).update(guess).digest();
        for (const encoding of ['hex', 'base64url'] as const)
          if (tokens.has(digest.toString(encoding))) hits.push(`${algorithm} of ${guess}`);
      }
    expect(hits).toEqual([]);
  });

  it('is found by the same search with the keys, so the search looks for the right texts', async () => {
    const text = tables.map((one) => one.text).join('\n');
    const secrets = await loadSecrets(await openDataFolder(fixture.vuka.dataDir), 'sandbox');
    expect(text).toContain(secrets.cipherOf('payments').blindIndex(`KES:bank:01:${ACCOUNT}`));
    expect(text).toContain(secrets.cipherOf('payments').blindIndex(`KES:mobile:${PHONE}`));
    const { receiver } = fixture;
    const callback_url = receiver.url(`/hook?token=${TOKEN}&name=${encodeURIComponent(ACCOUNT_NAME)}`);
    const cipher = secrets.cipherOf('gateway');
    const print = requestFingerprint((one) => cipher.fingerprint(one), 'bank_transfer', CURRENCIES.KES, {
      ...SENT,
      amount: '1500',
      callback_url,
    });
    expect(text).toContain(keptFingerprint(print));
  });
});
