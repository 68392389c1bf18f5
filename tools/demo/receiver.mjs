import { createHmac, timingSafeEqual } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';

/** Older or newer signatures are refused, against replays. */
const TOLERANCE_S = 300;

/**
 * A minimal partner endpoint: verifies the signature over the raw body, answers 200, or 401 if it is wrong, or 503
 * while it is down.
 */
export async function startReceiver(secret, onWebhook) {
  const received = [];
  let isDown = false;
  const incomingTransfers = new EventEmitter().setMaxListeners(0);
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const isGenuine = verify(secret, request.headers, body);
      response.writeHead(isDown ? 503 : isGenuine ? 200 : 401).end();
      const hook = {
        ...JSON.parse(body),
        id: request.headers['webhook-id'],
        event: request.headers['x-vuka-event'],
        isGenuine,
      };
      received.push(hook);
      onWebhook(hook);
      incomingTransfers.emit('webhook');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const waitFor = async (isIt, withinMs) => {
    const inTime = AbortSignal.timeout(withinMs);
    for (;;) {
      const found = received.find(isIt);
      if (found !== undefined || inTime.aborted) return found;
      await once(incomingTransfers, 'webhook', { signal: inTime }).catch(() => undefined);
    }
  };
  return {
    url: `http://127.0.0.1:${server.address().port}/webhooks`,
    received,
    isDown: (is) => {
      isDown = is;
    },
    /** The webhook of this id after the first `known` ones; undefined if it does not come in time. */
    waitForAgain: (id, known, withinMs) => waitFor((hook, place) => place >= known && hook.id === id, withinMs),
    waitFor: (code, status, withinMs) =>
      waitFor((hook) => hook.transaction_code === code && hook.status === status, withinMs),
    waitForEvent: (code, event, withinMs) =>
      waitFor((hook) => hook.transaction_code === code && hook.event === event, withinMs),
    waitForOrder: (id, status, withinMs) => waitFor((hook) => hook.order_id === id && hook.status === status, withinMs),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, base64, as one of the `v1,` values in the header. */
export function verify(secret, headers, body, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
