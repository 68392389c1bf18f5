import { type Operations } from '../operations/index.js';

/** For payout providers, not for partners. Payments judges the path. */
const OF_PROVIDER = { key: null, money: false, offer: null, rawBody: true, document: null } as const;

const CALLED_BACK = {
  paths: ['/callbacks/:provider/:token', '/callbacks/:provider/:token/:attempt'],
  ...OF_PROVIDER,
} as const;

export const CALLBACK_OPERATIONS = {
  providerCallback: { method: 'POST', ...CALLED_BACK },
  providerCallbackPut: { method: 'PUT', ...CALLED_BACK },
  providerApproval: { method: 'POST', paths: ['/approvals/:provider/:token'], ...OF_PROVIDER },
} as const satisfies Operations;
