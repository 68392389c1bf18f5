import { type Operations } from '../operations/index.js';

const CALLED_BACK = {
  paths: ['/callbacks/:provider/:token', '/callbacks/:provider/:token/:attempt'],
  key: null,
  money: false,
  offer: null,
  rawBody: true,
  document: null,
} as const;

/** For payout providers, not for partners. Payments judges the path. */
export const CALLBACK_OPERATIONS = {
  providerCallback: { method: 'POST', ...CALLED_BACK },
  providerCallbackPut: { method: 'PUT', ...CALLED_BACK },
} as const satisfies Operations;
