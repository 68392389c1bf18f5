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

/** One wallet at the beginning and at the end, in minor units. */
export interface WalletChange {
  readonly partner: number;
  readonly currency: string;
  readonly before: bigint;
  readonly after: bigint;
}

/** What partners asked to have back, and what left the refund wallets. */
export interface RefundView {
  readonly asked: readonly AskedRefund[];
  readonly outflows: readonly Outflow[];
}

/** What can be seen of orders: what was asked for and answered, where each stands, and what the partners' own books say. */
export interface OrdersView {
  readonly sent: readonly SentOrder[];
  /** What the API says in the end, by `orderKey()`; null = 404. */
  readonly rows: ReadonlyMap<string, OrderRow | null>;
  /** Every transaction of type CHECKOUT. */
  readonly credits: readonly { readonly partner: number; readonly row: StatusRow }[];
  /** What brought or took money under the codes of these. */
  readonly entries: readonly {
    readonly partner: number;
    readonly currency: string;
    readonly code: string;
    readonly kind: string;
    readonly amount: bigint;
  }[];
  /** When the books were read. */
  readonly at: Date;
}

/** Everything that can be seen from outside: what partners sent and got, what the rails' own books say. Nothing of Vuka's inside. */
export interface OutsideView {
  readonly sent: readonly SentPayout[];
  /** What the API says in the end of each sent payout, by `key()`; null = 404. */
  readonly rows: ReadonlyMap<string, StatusRow | null>;
  readonly webhooks: readonly ReceivedWebhook[];
  /** Of all providers, each in its own order. */
  readonly books: readonly BookEntry[];
  readonly wallets: readonly WalletChange[];
  /** Where pays were sent. */
  readonly deposits?: DepositView;
  readonly refunds?: RefundView;
  /** Where orders were asked for. */
  readonly orders?: OrdersView;
}

export interface OutsideRules {
  /** Non-final webhooks may be overtaken (decisions.md section 6); true where nothing delayed them, so that each must be there. */
  readonly everyWebhook?: boolean;
  /** Others pay as well, and maybe to the same recipients: payments besides are held against all fixtures together (lend-vuka.ts). */
  readonly amongOthers?: boolean;
  /** What people decided, by `key()`, of transactions that waited for them. */
  readonly settled?: ReadonlyMap<string, Settlement>;
  /** Pays whose sender people have cleared, by `key()`. */
  readonly cleared?: ReadonlySet<string>;
  /** Buying rates that were in force meanwhile, by currency, as a source of the suite's own told them. */
  readonly rates?: RatesInForce;
  /** What a chain took back after it had been told, by `key()` of the pay: as it was there. */
  readonly vanished?: ReadonlyMap<string, IncomingTransfer>;
  /** The same of what an order had been credited for, by `orderKey()`. */
  readonly vanishedOrders?: ReadonlyMap<string, IncomingTransfer>;
  /** Chains whose own clock the suite has moved: when something was final there says nothing. */
  readonly movedClocks?: ReadonlySet<string>;
  /** What becomes of value that could not be used (UNAPPLIED_POLICY); `keep` where absent. */
  readonly unapplied?: 'keep' | 'wallet';
}

/** A sent payout that exists, with what its row says and what it must have come to. */
export interface Told {
  readonly sent: SentPayout;
  readonly row: StatusRow;
  readonly expected: Expectation;
  /** Of a pay: what its deposit has to come to. */
  readonly fate: DepositFate | null;
  /** Its deposit vanished from its chain: what that was worth is owed where it had been paid or credited. `isBack`: it came again, as value of its own. */
  readonly vanished: { readonly isBack: boolean } | null;
}
