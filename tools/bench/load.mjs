import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'http-load.mjs');
const CURRENCIES = [
  ['kes', '01'],
  ['ngn', '044'],
];

/** Replaced in each request by as many hexadecimal digits. */
const ANOTHER_HASH = `0x${'#'.repeat(64)}`;

export async function loadHttp(baseUrl, requests, { connections, seconds, warmUpSeconds = 0 }) {
  const { hostname: host, port } = new URL(baseUrl);
  const task = { host, port: Number(port), requests, connections, seconds, warmUpSeconds };
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
