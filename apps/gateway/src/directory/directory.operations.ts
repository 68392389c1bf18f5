import { bankRecord, nameMatch } from '@vuka/contracts';
import type { Currency } from '@vuka/domain';
import { z } from 'zod';

import {
  type AnswerSchemas,
  type JsonSchema,
  OF_DESTINATIONS,
  type Operations,
  refTo,
  shapedBody,
} from '../operations/index.js';

const resolution = {
  status: z.enum(['COMPLETE', 'FAILED']).describe('FAILED: there is no such destination'),
  verified: z
    .boolean()
    .describe('true where the provider told the name. false: only the form is known to be right, and the name is `""`'),
  name_match: nameMatch
    .optional()
    .describe('Only where you sent `account_name`: how it compares, whatever its case, order and accents'),
};

const resolvedShortcode = z.object({
  status: resolution.status,
  shortcode: z.string().describe('Phone in local form, till or paybill'),
  public_name: z.string().describe('The owner; never a placeholder'),
  mobile_network: z.string().describe('Canonical name; `""` for tills and paybills'),
  verified: resolution.verified,
  name_match: resolution.name_match,
});

const resolvedAccount = z.object({
  status: resolution.status,
  account_name: z.string().describe('The owner; never a placeholder'),
  account_number: z.string(),
  bank_name: z.string(),
  bank_code: z.string(),
  verified: resolution.verified,
  name_match: resolution.name_match,
});

const bank = bankRecord.extend({
  code: z.string().describe('The `bank_code` of a payout. `Name` and `Code` say the same, for clients that read those'),
});

export const NAME_ANSWERS = {
  ResolvedShortcode: resolvedShortcode,
  ResolvedAccount: resolvedAccount,
} as const satisfies AnswerSchemas;

export const BANK_ANSWERS = { Bank: bank } as const satisfies AnswerSchemas;

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
        'Asks the provider who owns a destination. `status` is `COMPLETE` where it exists and `FAILED` where it does not, both with HTTP 200. `verified: false` with an empty name is the honest answer of a provider that cannot tell names. ' +
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
