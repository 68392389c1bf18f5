import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'http-load.mjs');
const CURRENCIES = [
  ['kes', '01'],
  ['ngn', '044'],
];

/** Replaced in each request by as many hexadecimal digits. */
const OTHER_EACH_TIME = '#'.repeat(64);
const ANOTHER_HASH = `0x${OTHER_EACH_TIME}`;

export async function loadHttp(baseUrl, requests, { connections, seconds, warmUpSeconds = 0, perSecond }) {
  const { hostname: host, port } = new URL(baseUrl);
  const task = { host, port: Number(port), requests, connections, seconds, warmUpSeconds, perSecond };
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, JSON.stringify(task)], {
    timeout: (seconds + warmUpSeconds) * 1_000 + 30_000,
  });
  return JSON.parse(stdout);
}

export function transferRequests(partners) {
  return CURRENCIES.flatMap(([currency, bank_code]) =>
    partners.map(({ consumer_key }) => ({
      method: 'POST',
      path: `/${currency}/bank-transfer`,
      headers: { 'x-api-key': consumer_key },
      body: JSON.stringify({ amount: 100, account_number: '1234567890', bank_code }),
    })),
  );
}

export function disburseRequests(partners) {
  return payoutRequests(partners, '/kes/disburse', {});
}

export function payRequests(partners) {
  return payoutRequests(partners, '/v1/pay/kes', { chain: 'CELO', transaction_hash: ANOTHER_HASH });
}

function payoutRequests(partners, path, more) {
  const body = JSON.stringify({
    type: 'BANK_TRANSFER',
    amount: 100,
    account_number: '1234567890',
    bank_code: '01',
    ...more,
  });
  return partners.map(({ consumer_key }) => ({ method: 'POST', path, headers: { 'x-api-key': consumer_key }, body }));
}

/** Well formed, and another one in each request. */
export const GUESSED_KEY_REQUESTS = [
  {
    method: 'POST',
    path: '/kes/bank-transfer',
    headers: { 'x-api-key': `vk_test_consumer_${OTHER_EACH_TIME}_${'A'.repeat(43)}` },
    body: JSON.stringify({ amount: 100, account_number: '1234567890', bank_code: '01' }),
  },
];
