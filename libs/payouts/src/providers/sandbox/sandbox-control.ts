import { z } from 'zod';

import type { SandboxPayoutControl } from '../../payout-provider.js';
import { ProviderHttp } from '../../provider-http.js';
import { toWire } from './sandbox-recipient.js';

export interface SandboxControlOptions {
  readonly baseUrl: string;
  readonly credential: string;
  /** Default 3,000. */
  readonly callTimeoutMs?: number;
}

export interface ConnectedControl extends SandboxPayoutControl {
  close(): Promise<void>;
}

const CALL_TIMEOUT_MS = 3_000;
const CONNECTIONS = 4;

const done = z.object({ done: z.boolean() });

/**
 * docs/engineers/sandbox-providers.md. An unknown payout gives false. Rejects if the answer is missing or
 * undocumented.
 * A retry is safe, except `pay` and `reverse`: they may act twice.
 */
export function sandboxControl({
  baseUrl,
  credential,
  callTimeoutMs = CALL_TIMEOUT_MS,
}: SandboxControlOptions): ConnectedControl {
  const http = new ProviderHttp({
    baseUrl,
    headers: { authorization: `Bearer ${credential}` },
    callTimeoutMs,
    maxConnections: CONNECTIONS,
  });
  const ask = async (path: string, body: object): Promise<boolean> => {
    const reply = await http.call('POST', path, { body });
    if (reply.kind === 'no_answer') throw new Error(`the sandbox provider's control did not answer: ${reply.detail}`);
    if (reply.status === 404 && z.object({ code: z.literal('PAYOUT_NOT_FOUND') }).safeParse(reply.body).success)
      return false;
    const parsed = done.safeParse(reply.body);
    if (reply.status !== 200 || !parsed.success)
      throw new Error(`the sandbox provider's control answered HTTP ${reply.status}`);
    return parsed.data.done;
  };
  const steer = (action: string) => (attemptId: string) =>
    ask(`/v1/control/payouts/${encodeURIComponent(attemptId)}/${action}`, {});
  return {
    release: steer('release'),
    pay: steer('pay'),
    reverse: steer('reverse'),
    topUp: ({ orderId, destination, amount: { currency } }) =>
      ask('/v1/control/top-ups', { order: orderId, recipient: toWire(destination), currency }),
    close: () => http.close(),
  };
}
