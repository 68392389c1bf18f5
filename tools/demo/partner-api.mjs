import { URLSearchParams } from 'node:url';

import { lookUntil } from './look.mjs';

const CALL_WITHIN_MS = 15_000;
const DECIMALS = 2;

export function partnerApi(baseUrl, partner, onCall) {
  const post = async (path, body, headers = {}) => {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'x-api-key': partner.consumer_key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  };
  const status = async (code) => (await post('/v1/status', { transaction_code: code })).body.data;
  return {
    call: async (path, body, headers) => {
      const answer = await post(path, body, headers);
      onCall(path, body, answer);
      return answer;
    },
    ask: post,
    order: async (query) => {
      const path = `/v1/checkout/?${new URLSearchParams(query).toString()}`;
      const answer = await post(path, {}, { 'x-api-key': partner.checkout_key });
      onCall('/v1/checkout/', query, answer);
      return answer;
    },
    status,
    until: (code, isIt, withinMs) => lookUntil(() => status(code), isIt, withinMs),
    /** Spendable, in hundredths of a shilling, read from the digits as sent. */
    wallet: async () => {
      const { text } = await post('/account/detail', {});
      const [, balance = '0'] = /"balance":(-?[\d.]+),"currency":"KES"/.exec(text) ?? [];
      return minorOf(balance);
    },
  };
}

export function minorOf(text) {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS));
}

export function shillings(minor) {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS).replace(/\B(?=(\d{3})+$)/g, ',');
  return `KES ${minor < 0n ? '-' : ''}${whole}.${digits.slice(-DECIMALS)}`;
}
