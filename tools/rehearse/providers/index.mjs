// The providers that are rehearsed, each by its own file. `row` and `secret` are ours, `settings` and what follows are
// its simulator's. A book is told in one form: payouts `{ id, account, hasEnded, payments, more }`, wallets by our names.
import { randomBytes } from 'node:crypto';

import { chapa } from './chapa.mjs';
import { pawapay } from './pawapay.mjs';
import { paystack } from './paystack.mjs';

export const PROVIDERS = [pawapay, paystack, chapa];

/** How long the value of a failed pay waits, should the provider have paid after all. By default a day. */
const REFUND_SAFE_MS = 15_000;
const CALLBACK_TOKEN_BYTES = 24;

/** By provider: its credential, what it signs with, and the token of the paths that it calls. */
export function makeSecrets() {
  return Object.fromEntries(
    PROVIDERS.map(({ id, secret }) => [
      id,
      { ...secret(), callback_token: randomBytes(CALLBACK_TOKEN_BYTES).toString('hex') },
    ]),
  );
}

/** VUKA_PROVIDERS_FILE: all that they carry, by the routes that we recommend. `baseUrls` by provider. */
export async function providersFile({ baseUrls, callbackHost }) {
  const { recommendedRoutes } = await import('../../../libs/payouts/dist/index.js');
  const providers = PROVIDERS.map(({ id, row }) => ({
    id,
    base_url: baseUrls[id],
    secret: id,
    accepts_stablecoin_funds: 'consent',
    refund_safe_after_ms: REFUND_SAFE_MS,
    ...row({ callbackHost }),
  }));
  return { providers, routes: recommendedRoutes(providers) };
}
