import type { OrderView } from '@vuka/contracts';
import {
  chainNamed,
  compare,
  coverageOf,
  currencyDecimals,
  decodeMoney,
  formatDecimal,
  formatLimit,
  money,
  paymentUri,
  subtract,
  tokenAsset,
  zero,
  type Chain,
  type Money,
} from '@vuka/domain';

/**
 * Finer than an order's status. `short` and `lost`: PROCESSING, but something is still to pay. `checking`: expired,
 * not judged yet.
 */
export type Phase =
  | 'waiting'
  | 'short'
  | 'lost'
  | 'seen'
  | 'checking'
  | 'paid'
  | 'overpaid'
  | 'expired'
  | 'underpaid'
  | 'late'
  | 'wrong_asset'
  | 'wrong_network';

/** Only in these may anything be paid, and the page shows the address. */
const OPEN: ReadonlySet<Phase> = new Set<Phase>(['waiting', 'short', 'lost']);
const OVER: ReadonlySet<Phase> = new Set<Phase>([
  'paid',
  'overpaid',
  'underpaid',
  'late',
  'wrong_asset',
  'wrong_network',
]);

/** Decimal text in whole tokens. */
export interface Payable {
  readonly amount: string;
  readonly address: string;
  /** Used with `memo` by wallets that do not accept `address`; '' if there is none. */
  readonly memoAddress: string;
  readonly memo: string;
  readonly uri: string;
}

/** Unescaped. */
export interface OrderPageView {
  readonly token: string;
  readonly phase: Phase;
  readonly status: OrderView['status'];
  readonly reason: OrderView['reason'];
  readonly orderId: string;
  readonly asset: string;
  readonly network: string;
  /** '' for an unknown chain. */
  readonly feeCoin: string;
  readonly contract: string;
  readonly fiat: string;
  readonly rate: string;
  readonly currency: string;
  readonly due: string;
  readonly received: string;
  readonly missing: string;
  readonly surplus: string;
  readonly transactionHash: string;
  readonly expiresAt: string;
  readonly lifetimeS: number;
  readonly secondsLeft: number;
  readonly now: string;
  /** Seconds; 0: never. */
  readonly pollAfterS: number;
  /** null: nothing may be paid any more. */
  readonly payable: Payable | null;
}

const POLL_S = 3;
/** A late or wrong payment may still be found. */
const POLL_EXPIRED_S = 30;
const POLL_EXPIRED_FOR_MS = 3_600_000;

/**
 * Decimals shown. The amount due is rounded up, so that paying it is enough; the surplus is below a millionth of a
 * token.
 */
const SHOWN_DECIMALS = 6;

export function orderPageView(order: OrderView, now: Date): OrderPageView {
  const left = Date.parse(order.expires_at) - now.getTime();
  const amounts = amountsOf(order);
  const phase = phaseOf(order, amounts, left > 0);
  const chain = chainNamed(order.network);
  return {
    token: order.page_token,
    phase,
    status: order.status,
    reason: order.reason,
    orderId: order.order_id,
    asset: order.asset,
    network: chain?.title ?? order.network,
    feeCoin: chain?.nativeCoin ?? '',
    contract: order.token,
    fiat: formatLimit(BigInt(order.amount_minor), currencyDecimals(order.currency)),
    rate: order.rate,
    currency: order.currency,
    due: shownUp(amounts.due.minor, order.decimals),
    received: shownReceived(amounts, order.decimals),
    missing: shownUp(amounts.missing.minor, order.decimals),
    surplus: shown(moreThan(amounts.received, amounts.due).minor, order.decimals),
    transactionHash: order.transaction_hash ?? '',
    expiresAt: order.expires_at,
    lifetimeS: Math.max(1, Math.round((Date.parse(order.expires_at) - Date.parse(order.created_at)) / 1_000)),
    secondsLeft: Math.max(0, Math.ceil(left / 1_000)),
    now: now.toISOString(),
    pollAfterS: pollAfter(phase, left),
    payable: OPEN.has(phase) && chain !== undefined ? payableOf(order, chain, amounts.missing) : null,
  };
}

interface Amounts {
  readonly due: Money;
  readonly received: Money;
  readonly missing: Money;
  /** All but the tolerated shortage. */
  readonly isEnough: boolean;
}

function amountsOf({ due_minor, received_minor, asset, network, decimals }: OrderView): Amounts {
  const token = tokenAsset({ name: network }, { symbol: asset });
  const [due, received] = [decodeMoney(due_minor, token), decodeMoney(received_minor, token)];
  const isEnough = coverageOf(received, due, { decimals }).verdict !== 'short';
  return { due, received, missing: moreThan(due, received), isEnough };
}

/** At least zero. */
const moreThan = (one: Money, other: Money): Money =>
  compare(one, other) > 0 ? subtract(one, other) : zero(one.currency);

function phaseOf({ status, reason }: OrderView, { received, isEnough }: Amounts, inTime: boolean): Phase {
  if (status === 'COMPLETE') return reason === 'overpaid' ? 'overpaid' : 'paid';
  if (status === 'FAILED') return reason === '' || reason === 'overpaid' ? 'expired' : reason;
  if (isEnough) return 'seen';
  if (!inTime) return 'checking';
  if (received.minor > 0n) return 'short';
  return status === 'PROCESSING' ? 'lost' : 'waiting';
}

function pollAfter(phase: Phase, leftMs: number): number {
  if (OVER.has(phase)) return 0;
  if (phase !== 'expired') return POLL_S;
  return leftMs > -POLL_EXPIRED_FOR_MS ? POLL_EXPIRED_S : 0;
}

function payableOf(order: OrderView, chain: Chain, missing: Money): Payable | null {
  const token = chain.tokens.find((one) => one.symbol === order.asset);
  if (token === undefined) return null;
  const unit = unitOf(order.decimals);
  const amount = money(divideUp(missing.minor, unit) * unit, missing.currency);
  return {
    amount: shownUp(missing.minor, order.decimals),
    address: order.address,
    memoAddress: order.memo_address,
    memo: order.memo,
    uri: paymentUri(chain, token, {
      address: order.address,
      memoAddress: order.memo_address,
      memo: order.memo,
      amount,
    }),
  };
}

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

/** Smallest amount shown, in minor units. */
const unitOf = (decimals: number): bigint => 10n ** BigInt(Math.max(0, decimals - SHOWN_DECIMALS));

function shownUp(minor: bigint, decimals: number): string {
  return shown(divideUp(minor, unitOf(decimals)) * unitOf(decimals), decimals);
}

/** Whoever paid exactly sees the amount asked for, not one rounded down. */
function shownReceived({ due, received }: Amounts, decimals: number): string {
  const isExact = compare(received, due) >= 0 && subtract(received, due).minor < unitOf(decimals);
  return isExact ? shownUp(due.minor, decimals) : shown(received.minor, decimals);
}

/** 2 to 6 decimals, cut off. */
function shown(minor: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = formatDecimal(minor, decimals).split('.');
  if (minor === 0n) return '0';
  const digits = fraction.slice(0, SHOWN_DECIMALS).replace(/0+$/, '').padEnd(Math.min(2, decimals), '0');
  return digits === '' ? whole : `${whole}.${digits}`;
}
