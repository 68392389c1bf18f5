// What a partner of a build has: its requests with their answers, and a receiver of webhooks. Plain HTTP as the documents
// describe it, with nothing of this checkout's: the build may be an older one.
import { once } from 'node:events';
import { createServer } from 'node:http';

import { Webhook } from 'standardwebhooks';

const CALL_TIMEOUT_MS = 10_000;
const KEPT_HEADERS = ['webhook-id', 'x-vuka-sequence', 'x-vuka-event'];

/** Sends requests under the partners' keys and keeps each with its answer; `status` 0: no answer came. */
export class Partners {
  sent = [];

  constructor(baseUrl, partners) {
    this.baseUrl = baseUrl;
    this.partners = partners;
  }

  /** `operation`: bank-transfer or disburse. */
  async payOut(operation, currency, body, { partner = 0, idempotencyKey } = {}) {
    const { id, consumer_key } = this.partners[partner];
    const request = { partner: id, path: `/${currency.toLowerCase()}/${operation}`, body, ...(idempotencyKey && { idempotencyKey }) };
    const entry = { ...request, status: 0, answer: '' };
    this.sent.push(entry);
    const headers = { 'content-type': 'application/json', 'x-api-key': consumer_key, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
    try {
      const answer = await fetch(this.baseUrl + request.path, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
      const text = await answer.text();
      Object.assign(entry, { status: answer.status, answer: text });
    } catch {
      // An open outcome: the partner knows that it asked.
    }
    return entry;
  }

  /** Every wallet as the API tells it, by partner id. */
  async wallets() {
    const all = {};
    for (const { id, consumer_key } of this.partners) {
      const answer = await fetch(`${this.baseUrl}/account/detail`, { method: 'POST', headers: { 'x-api-key': consumer_key } });
      all[id] = await answer.text();
    }
    return all;
  }
}

/** Takes webhooks in: at `/hook` with 200, at `/broken` with 500, at `/deaf` without an answer, and keeps those it answered with 200. */
export async function startReceiver(partners) {
  const secrets = partners.map(({ id, webhook_secret }) => ({ id, webhook: new Webhook(webhook_secret) }));
  const taken = [];
  const server = createServer((request, response) => {
    let rawBody = '';
    request.setEncoding('utf8').on('data', (chunk) => (rawBody += chunk));
    request.on('end', () => {
      if (request.url === '/deaf') return;
      if (request.url.startsWith('/hook')) taken.push(webhookOf(request, rawBody, secrets));
      response.writeHead(request.url === '/broken' ? 500 : 200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { origin, taken, stop };
}

function webhookOf({ url, headers }, rawBody, secrets) {
  const kept = Object.fromEntries(KEPT_HEADERS.map((name) => [name, headers[name]]));
  return { path: url, headers: kept, rawBody, partner: secrets.find(({ webhook }) => verifies(webhook, rawBody, headers))?.id ?? null };
}

function verifies(webhook, rawBody, headers) {
  try {
    webhook.verify(rawBody, headers);
    return true;
  } catch {
    return false;
  }
}
