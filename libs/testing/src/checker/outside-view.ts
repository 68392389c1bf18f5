import type { AskedRefund } from '../partner/asked-refund.js';
import type { IncomingTransfer } from '../books/chain-book.js';
import type { DepositFate, DepositView } from './deposit-fate.js';
import type { Expectation, Settlement } from './expectation.js';
import type { BookEntry } from '../books/provider-book.js';
import type { RatesInForce } from '../books/rates-in-force.js';
import type { Outflow } from '../books/refund-outflows.js';
import type { OrderRow, SentOrder } from '../partner/sent-order.js';
import type { SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';
import type { ReceivedWebhook } from '../partner/webhook-receiver.js';

export interface WalletChange {
  readonly partner: number;
  readonly currency: string;
  readonly before: bigint;
  readonly after: bigint;
}

export interface RefundView {
  readonly asked: readonly AskedRefund[];
  readonly outflows: readonly Outflow[];
}

export interface OrdersView {
  readonly sent: readonly SentOrder[];
  readonly rows: ReadonlyMap<string, OrderRow | null>;
  readonly credits: readonly { readonly partner: number; readonly row: StatusRow }[];
  readonly entries: readonly {
    readonly partner: number;
    readonly currency: string;
    readonly code: string;
    readonly kind: string;
    readonly amount: bigint;
  }[];
  readonly at: Date;
}

/** All that is visible from outside: partners' requests and answers, and the providers' books. */
export interface OutsideView {
  readonly sent: readonly SentPayout[];
  readonly rows: ReadonlyMap<string, StatusRow | null>;
  readonly webhooks: readonly ReceivedWebhook[];
  readonly books: readonly BookEntry[];
  readonly wallets: readonly WalletChange[];
  readonly deposits?: DepositView;
  readonly refunds?: RefundView;
  readonly orders?: OrdersView;
}

export interface OutsideRules {
  /**
   * Non-final webhooks may be superseded (decisions.md section 6). True: nothing was delayed, so each must be there.
   */
  readonly everyWebhook?: boolean;
  /** Other fixtures may pay the same recipients; lend-vuka.ts checks unknown payments over all of them. */
  readonly amongOthers?: boolean;
  readonly settled?: ReadonlyMap<string, Settlement>;
  readonly cleared?: ReadonlySet<string>;
  /** The rates that the suite's own source gave, by currency. */
  readonly rates?: RatesInForce;
  /** By `key()` of the pay: a transfer that its chain took back after it was reported. */
  readonly vanished?: ReadonlyMap<string, IncomingTransfer>;
  readonly vanishedOrders?: ReadonlyMap<string, IncomingTransfer>;
  /** Chains whose clock the suite moved: their finality times say nothing. */
  readonly movedClocks?: ReadonlySet<string>;
  /** What becomes of unusable value (UNAPPLIED_POLICY); `keep` if absent. */
  readonly unapplied?: 'keep' | 'wallet';
}

export interface Told {
  readonly sent: SentPayout;
  readonly row: StatusRow;
  readonly expected: Expectation;
  readonly fate: DepositFate | null;
  /**
   * Its deposit vanished, so its worth is owed if it was paid or credited. `isBack`: it came again as a new transfer.
   */
  readonly vanished: { readonly isBack: boolean } | null;
}
