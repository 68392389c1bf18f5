import { DEFAULT_CURRENCY } from '@vuka/domain';

import { idParameter, lastDays, listBody, type Operations } from '../operations/index.js';
import { LISTS_IN_TURN } from '../transactions/index.js';
import { STATEMENT_FIELDS } from './wallet-statement.js';

export const ACCOUNT_OPERATIONS = {
  accountDetail: {
    method: 'POST',
    paths: ['/account/detail'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Account',
      ids: ['getAccount'],
      summary: 'Account and wallets',
      description:
        'Who you are, what is in your wallets, and the networks you may be paid on. Held money is not in a balance.',
      message: 'The account',
      answer: 'Account',
      links: () => ({
        wallet: {
          operationId: 'getWallet',
          parameters: { id: '$response.body#/data/wallets/0/id' },
          description: 'The first wallet',
        },
      }),
      errors: ['not_found'],
    },
  },
  accountWallet: {
    method: 'POST',
    paths: ['/account/wallet/:id'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Account',
      ids: ['getWallet'],
      summary: 'One wallet',
      description: 'One of your wallets, by its `id` in the account.',
      message: 'The wallet',
      answer: 'Wallet',
      parameters: { id: idParameter('A wallet’s `id` in the account') },
    },
  },
  accountStatement: {
    method: 'POST',
    paths: ['/account/statement'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Account',
      ids: ['listStatement'],
      summary: 'Statement of a wallet',
      description:
        'What changed a wallet on the days from `start_date` to `end_date` (UTC, both included; `end_date` at most 400 days after `start_date`), newest first, with the balance after each entry. ' +
        `Pages as the list of transactions does. ${LISTS_IN_TURN}`,
      message: 'The statement',
      answer: ['StatementEntry'],
      body: ({ today }) => listBody(STATEMENT_FIELDS, { currency: DEFAULT_CURRENCY, ...lastDays(today) }),
      errors: ['not_found', 'unsupported_currency'],
    },
  },
} as const satisfies Operations;

export const REFERENCE_OPERATIONS = {
  accountCountries: {
    method: 'POST',
    paths: ['/account/countries'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listCountries'],
      summary: 'Countries',
      description: 'Where payouts go.',
      message: 'The countries',
      answer: ['Country'],
    },
  },
  accountNetworks: {
    method: 'POST',
    paths: ['/account/networks'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listNetworks'],
      summary: 'Networks',
      description:
        'The chains, and the assets on each. Send only what is listed, only to `settlement_wallet_address`: it is yours for good, and one for all chains of the same kind. A network that is not served has none.',
      message: 'The networks',
      answer: ['Network'],
    },
  },
  limits: {
    method: 'POST',
    paths: ['/v1/limits'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listLimits'],
      summary: 'Limits',
      description: 'What one payout may be, by currency, operation and kind of destination.',
      message: 'The limits',
      answer: ['Limit'],
    },
  },
  fees: {
    method: 'POST',
    paths: ['/v1/fees', '/v1/fees/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listFees', 'listFeesByCurrency'],
      summary: ['Fees', 'Fees in one currency'],
      description: 'What we take on top of an amount, by currency and operation.',
      message: 'The fees',
      answer: ['Fee'],
    },
  },
} as const satisfies Operations;
