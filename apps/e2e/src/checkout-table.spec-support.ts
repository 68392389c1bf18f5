import { atDepth, drawn, testProfile, SCREENED_SENDER, type OrderQuery } from '@vuka/testing';

import type { Asked, Orders } from './orders.spec-support.js';

export interface Row {
  readonly what: string;
  readonly order?: Partial<OrderQuery>;
  readonly pays?: (order: Asked, orders: Orders) => Promise<unknown>;
  readonly paysLate?: (order: Asked, orders: Orders) => Promise<unknown>;
  readonly end: readonly [status: string, reason: string];
}

/** The rules of reference/chains.md section 6; every currency is used. */
export const TABLE = {
  exact: { what: 'what is due', pays: (order, orders) => orders.send(order), end: ['COMPLETE', ''] },
  tolerated: {
    what: 'a hundredth of a token less',
    pays: (order, orders) => orders.send(order, '7.799054'),
    end: ['COMPLETE', ''],
  },
  topped: { what: 'too little, and then the rest', pays: topUp, end: ['COMPLETE', ''] },
  over: { what: 'more than is due', pays: (order, orders) => orders.send(order, '9'), end: ['COMPLETE', 'overpaid'] },
  twice: { what: 'what is due, twice', pays: sendTwice, end: ['COMPLETE', 'overpaid'] },
  under: {
    what: 'a unit less than is tolerated',
    pays: (order, orders) => orders.send(order, '7.799053'),
    end: ['FAILED', 'underpaid'],
  },
  late: { what: 'what is due, too late', paysLate: (order, orders) => orders.send(order), end: ['FAILED', 'late'] },
  asset: {
    what: 'another token',
    pays: (order, orders) => orders.send(order, '8', { asset: 'USDT' }),
    end: ['FAILED', 'wrong_asset'],
  },
  network: {
    what: 'what is due, on another chain',
    pays: (order, orders) => orders.send(order, '8', { chain: 'ARBITRUM' }),
    end: ['FAILED', 'wrong_network'],
  },
  lookalike: {
    what: 'a token that only looks like one',
    pays: (order, orders) => orders.send(order, '8', { asset: 'USDM' }),
    end: ['FAILED', 'expired'],
  },
  screened: {
    what: 'money of somebody on the list',
    pays: (order, orders) => orders.send(order, '8', { from: SCREENED_SENDER }),
    end: ['FAILED', 'expired'],
  },
  never: { what: 'nothing', end: ['FAILED', 'expired'] },
  'in UGX': {
    what: 'a token of 18 decimals',
    order: { asset: 'CUSD', currency_code: 'UGX', amount: 20_000 },
    pays: (order, orders) => orders.send(order),
    end: ['COMPLETE', ''],
  },
  'in NGN': {
    what: 'USDT on Solana',
    order: { network: 'solana', asset: 'USDT', currency_code: 'ngn', amount: '25000.50' },
    pays: (order, orders) => orders.send(order),
    end: ['COMPLETE', ''],
  },
  'in GHS': {
    what: 'a muxed address on Stellar',
    order: { network: 'STELLAR', currency_code: 'GHS', amount: '120.5' },
    pays: (order, orders) => orders.send(order),
    end: ['COMPLETE', ''],
  },
  'in MWK': {
    what: 'an account and a memo on Stellar',
    order: { network: 'STELLAR', currency_code: 'MWK', amount: 20_000 },
    pays: sendByMemo,
    end: ['COMPLETE', ''],
  },
  'in CDF': {
    what: 'USDT, typed by hand',
    order: { asset: 'USDT', currency_code: 'CDF', amount: 25_000 },
    pays: (order, orders) => orders.sendByHand(order),
    end: ['COMPLETE', ''],
  },
  'in ETB': {
    what: 'USDT of 18 decimals on another chain',
    order: { network: 'BSC', asset: 'USDT', currency_code: 'ETB', amount: '1500.25' },
    pays: (order, orders) => orders.send(order),
    end: ['COMPLETE', ''],
  },
} as const satisfies Readonly<Record<string, Row>>;
export type Name = keyof typeof TABLE;
const ALL = Object.keys(TABLE) as Name[];
/** Minor units: too little, too late, the wrong token, and surplus. */
export const LEFT: Readonly<Partial<Record<Name, readonly [chain: string, value: bigint]>>> = {
  under: ['CELO', 7_799_053n],
  late: ['CELO', 7_809_054n],
  asset: ['CELO', 8_000_000n],
  network: ['ARBITRUM', 8_000_000n],
  over: ['CELO', 1_190_946n],
  twice: ['CELO', 5_000_000n],
};

export const REFUSED: readonly [name: string, change: Partial<OrderQuery>, status: number, code: string][] = [
  ['on a network nobody knows', { network: 'DOGE' }, 400, 'unsupported_network'],
  ['by a token that does not count there', { asset: 'PYUSD' }, 400, 'unsupported_network'],
  ['in a currency nobody knows', { currency_code: 'EUR' }, 400, 'unsupported_currency'],
  ['for too little', { amount: 19 }, 400, 'amount_out_of_range'],
  ['for too much', { amount: 250_001 }, 400, 'amount_out_of_range'],
  ['for no amount', { amount: '' }, 400, 'invalid_request'],
  ['under no name', { order_id: '' }, 400, 'invalid_request'],
  ['under a name that is none', { order_id: 'a b' }, 400, 'invalid_request'],
];

/**
 * One service judges transfers and chains, the same on both profiles, so the second profile draws some. All ways
 * through all services are always included.
 */
export const IS_DRAWN = testProfile() === 'distributed' && atDepth({ commit: true, whole: false });
export const NAMES = IS_DRAWN ? playedApart() : ALL;

function playedApart(): readonly Name[] {
  const namedBySuite: readonly Name[] = ['exact', 'in NGN', 'in GHS', 'in MWK', 'never'];
  const ofEnd = (end: string, names: readonly string[]): readonly Name[] =>
    ALL.filter((name) => names.includes(name) && TABLE[name].end[0] === end && !namedBySuite.includes(name));
  const left = ['COMPLETE', 'FAILED'].flatMap((end) =>
    drawn(`checkout: left of ${end}`, ofEnd(end, Object.keys(LEFT)), 1),
  );
  const others = ['COMPLETE', 'FAILED'].flatMap((end) => drawn(`checkout: ${end}`, ofEnd(end, ALL), 1));
  return ALL.filter((name) => [...namedBySuite, ...left, ...others].includes(name));
}

async function topUp(order: Asked, orders: Orders): Promise<string> {
  await orders.send(order, '3');
  await orders.stands(order, 'PROCESSING');
  return orders.send(order, '4.809054');
}

async function sendTwice(order: Asked, orders: Orders): Promise<string> {
  await orders.send(order);
  await orders.stands(order, 'COMPLETE');
  return orders.send(order, '5');
}

function sendByMemo(order: Asked, orders: Orders): Promise<string> {
  const { memo_address: to, memo } = order.answer;
  return orders.send(order, order.answer.asset_amount, { to, memo });
}
