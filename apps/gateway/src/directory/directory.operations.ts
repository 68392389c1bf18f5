import type { Currency } from '@vuka/domain';

import { type JsonSchema, OF_DESTINATIONS, type Operations, refTo, shapedBody } from '../operations/index.js';

/** One of those that the currency's lookups give. */
function resolutionIn(currency: Currency | null): JsonSchema {
  if (currency === null) return {};
  const names = new Set(
    currency.lookups.map(({ kind }) => (kind === 'bank' ? 'ResolvedAccount' : 'ResolvedShortcode')),
  );
  const schemas = [...names].map((name) => refTo('schemas', name));
  return schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { anyOf: schemas };
}

export const NAME_OPERATIONS = {
  validation: {
    method: 'POST',
    paths: ['/v1/validation', '/v1/validation/:currency'],
    key: 'consumer',
    scope: 'lookups',
    money: false,
    offer: null,
    limit: 'lookups',
    notWhileSuspended: true,
    document: {
      tag: 'Name lookup',
      ids: ['resolveName', 'resolveName'],
      summary: 'Look up a name in {currency}',
      description:
        'Asks the rail who owns a destination. `status` is `COMPLETE` where it exists and `FAILED` where it does not, both with HTTP 200. `verified: false` with an empty name is the honest answer of a rail that cannot tell names. ' +
        'Send `account_name` to have the name you expect compared. A rail that is down is a 503, never a guess. Takes no money and promises none.',
      message: 'The destination',
      answer: resolutionIn,
      byCurrency: true,
      body: ({ currency }) => currency && shapedBody('validation', currency),
      errors: OF_DESTINATIONS,
    },
  },
} as const satisfies Operations;

export const BANK_OPERATIONS = {
  banks: {
    method: 'POST',
    paths: ['/v1/banks', '/v1/banks/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listBanks', 'listBanksByCurrency'],
      summary: ['Banks', 'Banks of a country'],
      description:
        'Each `code` is a `bank_code` of payouts and lookups. `[]` where there are no bank payouts. Without a currency: Nigeria’s.',
      message: 'The banks',
      answer: ['Bank'],
    },
  },
} as const satisfies Operations;
