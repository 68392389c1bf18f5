import type { IncomingTransfer, ChainBook } from '../books/chain-book.js';
import { SCREENED_SENDER, tokenNamed } from '../books/chain-facts.js';
import type { BookEntry } from '../books/provider-book.js';
import type { RatesInForce } from '../books/rates-in-force.js';
import type { HeldQuote, NamedDeposit } from '../partner/named-deposit.js';
import { key, type PayBody, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';
import { checkOutside } from './check-outside.js';
import type { OutsideRules, OutsideView } from './outside-view.js';

const ADDRESS = '0x00000000000000000000000000000000000000a1';
export const CREATED = '2026-01-02T12:00:00.000Z';
export const PAID_AT = '2026-01-02T12:01:00.000Z';
const MINUTE_MS = 60_000;
export const [RATE, QUOTED] = ['128.0565', '130.5'];
export const NAMES = [
  'paid',
  'quoted',
  'short',
  'failed',
  'refunded',
  'underpaid',
  'wrong',
  'late',
  'nothing',
  'reverted',
  'held',
  'screened',
] as const;
export type Name = (typeof NAMES)[number];

/** In force a minute before the pays, when the quote was given. */
export const RATES: RatesInForce = new Map([
  [
    'KES',
    [
      { rate: QUOTED, from: -Infinity, until: Date.parse('2026-01-02T11:58:30.000Z') },
      { rate: RATE, from: Date.parse('2026-01-02T11:58:30.000Z'), until: Infinity },
    ],
  ],
]);

export const hashOf = (name: Name): string => `0x${(NAMES.indexOf(name) + 1).toString(16).padStart(64, '0')}`;
export const quote: HeldQuote = {
  quote_id: '0190a0b0-0000-7000-8000-000000000001',
  rate: QUOTED,
  amount: '1000.00',
  asset_amount: '7.662836',
  amount_in_usd: '7.67',
  settlement_wallet_address: ADDRESS,
  memo_address: '',
  memo: '',
  expires_in: 300,
  expires_at: '2026-01-02T12:04:00.000Z',
  chain: 'CELO',
  asset: 'USDC',
};

const shortcodeOf = (name: Name): string => {
  const { body } = SENT[name];
  return 'shortcode' in body ? String(body.shortcode) : '';
};

export function sent(
  name: Name,
  { number = '7890', ...deposit }: Partial<NamedDeposit> & { number?: string } = {},
): SentPayout {
  const body: PayBody = {
    amount: '1000',
    fee: '25',
    type: 'MOBILE',
    shortcode: `071234${number}`,
    mobile_network: 'Safaricom',
    transaction_hash: hashOf(name),
  };
  const named: NamedDeposit = {
    chain: 'CELO',
    hash: hashOf(name),
    asset: 'USDC',
    quote: null,
    refundTo: null,
    ...deposit,
  };
  return {
    partner: 1,
    operation: 'pay',
    currency: 'KES',
    code: name,
    body,
    outcome: 'accepted',
    controls: [],
    deposit: named,
  };
}

export const SENT: Readonly<Record<Name, SentPayout>> = {
  paid: sent('paid'),
  quoted: sent('quoted', { quote }),
  short: sent('short'),
  failed: sent('failed', { number: '0001' }),
  refunded: sent('refunded', { number: '0001', refundTo: ADDRESS }),
  underpaid: sent('underpaid'),
  wrong: sent('wrong'),
  late: sent('late'),
  nothing: sent('nothing'),
  reverted: sent('reverted'),
  held: sent('held'),
  screened: sent('screened'),
};

export function incomingTransfer(
  name: Name,
  received: bigint,
  fields: Partial<IncomingTransfer> = {},
): IncomingTransfer {
  return {
    chain: 'CELO',
    hash: hashOf(name),
    otherHashes: [],
    address: ADDRESS,
    token: tokenNamed('CELO', 'USDC')!,
    received,
    senders: ['0xb0'],
    block: 10,
    at: new Date(CREATED),
    finalAt: new Date(Date.parse(PAID_AT) - MINUTE_MS / 2),
    ...fields,
  };
}

/** 1,000.00 is 7.809053 USDC at the day's rate, 7.662836 at the quote's. */
export const INCOMING_TRANSFERS: Readonly<Record<Exclude<Name, 'nothing' | 'reverted'>, IncomingTransfer>> = {
  paid: incomingTransfer('paid', 8_000_000n),
  quoted: incomingTransfer('quoted', 7_662_836n),
  short: incomingTransfer('short', 7_800_000n),
  failed: incomingTransfer('failed', 8_000_000n),
  refunded: incomingTransfer('refunded', 8_000_000n),
  underpaid: incomingTransfer('underpaid', 7_000_000n),
  wrong: incomingTransfer('wrong', 8_000_000n, { token: tokenNamed('CELO', 'USDT')! }),
  late: incomingTransfer('late', 8_000_000n, { at: new Date(Date.parse(CREATED) - 25 * 60 * MINUTE_MS) }),
  held: incomingTransfer('held', 8_000_000n, { finalAt: null }),
  screened: incomingTransfer('screened', 8_000_000n, { senders: [SCREENED_SENDER.toLowerCase()] }),
};
/**
 * 8 USDC are 1,024.45, and 975.00 was paid. Short: 7.8 USDC are 998.84; the markup covers the rest. Failed: all,
 * except what goes back on the chain.
 */
const BROUGHT = 102_445n - 97_500n + (100_000n - 97_500n) + (99_884n - 97_500n) + 102_445n;

const END: Readonly<Record<Name, readonly [status: string, code: string, asset: string, rate: string]>> = {
  paid: ['COMPLETE', '', 'USDC', RATE],
  quoted: ['COMPLETE', '', 'USDC', QUOTED],
  short: ['COMPLETE', '', 'USDC', RATE],
  failed: ['FAILED', 'rail_rejected', 'USDC', RATE],
  refunded: ['FAILED', 'rail_rejected', 'USDC', RATE],
  underpaid: ['FAILED', 'underpaid', 'USDC', RATE],
  wrong: ['FAILED', 'wrong_asset', 'USDT', RATE],
  late: ['FAILED', 'deposit_late', 'USDC', RATE],
  nothing: ['FAILED', 'no_matching_transfer', 'USDC', ''],
  reverted: ['FAILED', 'transfer_failed', 'USDC', ''],
  held: ['PROCESSING', '', 'USDC', ''],
  screened: ['PROCESSING', '', 'USDC', RATE],
};

export function row(name: Name, fields: Partial<StatusRow> = {}): StatusRow {
  const [status, failure_code, asset, rate] = END[name];
  const isPaid = status === 'COMPLETE';
  const dollars: Record<string, string> = { [RATE]: '7.81', [QUOTED]: '7.66', '': '0.00' };
  return {
    id: NAMES.indexOf(name) + 1,
    transaction_code: name,
    status,
    amount: '1000.00',
    type: 'MOBILE',
    shortcode: shortcodeOf(name),
    account_number: null,
    bank_code: '',
    mobile_network: 'Safaricom',
    public_name: isPaid ? 'TEST 7890' : null,
    receipt_number: isPaid ? `R-${name}` : null,
    currency_code: 'KES',
    fee: '25.00',
    service_fee: '0.00',
    failure_code,
    message: 'm',
    chain: 'CELO',
    asset,
    rate,
    transaction_hash: hashOf(name),
    quote_id: name === 'quoted' ? quote.quote_id : '',
    amount_in_usd: dollars[rate],
    refund: name === 'refunded' ? 'COMPLETE' : '',
    created_at: CREATED,
    updated_at: PAID_AT,
    ...fields,
  };
}

export const entry = (name: Name, fields: Partial<BookEntry> = {}): BookEntry => ({
  sequence: 1,
  at: PAID_AT,
  id: 'x',
  status: 'PAID',
  amount: '975.00',
  currency: 'KES',
  recipient: { shortcode: shortcodeOf(name) },
  receipt: `R-${name}`,
  ...fields,
});
export const ENTRIES = (['paid', 'quoted', 'short'] as const).map((name) => entry(name));

export const book = (incomingTransfers: readonly IncomingTransfer[], fields: Partial<ChainBook> = {}): ChainBook => ({
  chain: 'CELO',
  height: 100,
  incomingTransfers,
  reverted: new Set([hashOf('reverted')]),
  ...fields,
});
export const viewOf = (...books: ChainBook[]): Partial<OutsideView> => ({
  deposits: { books, addresses: new Map([[1, { evm: ADDRESS }]]), rates: RATES },
});

export function sound(...changes: Partial<OutsideView>[]): OutsideView {
  const whole: OutsideView = {
    sent: NAMES.map((name) => SENT[name]),
    rows: new Map(NAMES.map((name) => [key(SENT[name]), row(name)])),
    webhooks: [],
    books: ENTRIES,
    wallets: [{ partner: 1, currency: 'KES', before: 5n, after: 5n + BROUGHT }],
    ...viewOf(book(Object.values(INCOMING_TRANSFERS))),
  };
  return Object.assign({}, whole, ...changes) as OutsideView;
}

export const rows = (...changed: StatusRow[]): Partial<OutsideView> => ({
  rows: new Map([
    ...sound().rows,
    ...changed.map((one) => [key({ partner: 1, code: one.transaction_code }), one] as const),
  ]),
});
export const chain = (
  changed: Partial<Record<Name, IncomingTransfer | null>>,
  ...more: IncomingTransfer[]
): Partial<OutsideView> =>
  viewOf(book([...Object.values({ ...INCOMING_TRANSFERS, ...changed }).filter((one) => one !== null), ...more]));
export const brought = (by: bigint): Partial<OutsideView> => ({
  wallets: [{ partner: 1, currency: 'KES', before: 5n, after: 5n + BROUGHT + by }],
});
export const faultsOf = (changes: Partial<OutsideView>[], rules: OutsideRules = {}): string =>
  checkOutside(sound(...changes), rules).join('\n');
