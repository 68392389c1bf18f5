import type { Currency } from '@vuka/domain';

import type { JsonSchema } from './json-schema.js';
import type { Described } from './operation-texts.js';

const CODE = '$response.body#/data/transaction_code';

const OF_ACCOUNT = {
  wallet: {
    operationId: 'getWallet',
    parameters: { id: '$response.body#/data/wallets/0/id' },
    description: 'The first wallet',
  },
} as const;

const OF_ORDER = {
  status: {
    operationId: 'getOrder',
    requestBody: { order_id: '$response.body#/data/order_id' },
    description: 'How it stands',
  },
} as const;

const PAYS: ReadonlySet<Described> = new Set<Described>(['bankTransfer', 'disburse', 'pay']);

/** What may be asked next with what was answered. */
export function linksOf(name: Described, currency: Currency | null): { readonly links?: JsonSchema } {
  if (name === 'checkout') return { links: OF_ORDER };
  if (name === 'accountDetail') return { links: OF_ACCOUNT };
  if (!PAYS.has(name) || currency === null) return {};
  const requestBody = { transaction_code: CODE };
  return {
    links: {
      status: { operationId: 'getStatus', requestBody, description: 'What became of it' },
      transaction: {
        operationId: 'getAccountTransaction',
        parameters: { country: currency.country.toLowerCase() },
        requestBody,
        description: 'The same row',
      },
    },
  };
}
