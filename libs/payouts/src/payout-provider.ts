import type { FailureCode } from '@vuka/domain';

/** A bank account as the domain's rules left it (the shape of contracts' `bankDestination`). */
export interface BankRecipient {
  readonly kind: 'bank';
  readonly account_number: string;
  readonly bank_code: string;
  readonly bank_name: string;
}

export type PayoutDestination = BankRecipient;

/** One attempt to pay. The very same instruction is given to `submit` and to every later `query`. */
export interface PayoutInstruction {
  /** Ours, unique per attempt, committed before the call goes out (providers.md 0.4). */
  readonly attemptId: string;
  /** What the recipient gets, in minor units of `currency`. */
  readonly amountMinor: bigint;
  /** ISO 4217. */
  readonly currency: string;
  readonly destination: PayoutDestination;
  /** W3C trace of the request that asked for it, carried on to the rail. */
  readonly traceparent?: string;
}

/**
 * What a rail said, or that it said nothing we may rely on. `detail` is for operators and logs: codes and
 * shapes, never an account number or a credential. The adapter has cleaned every text that is the rail's (`railText`),
 * so that it can be stored: no control characters, well-formed, `receipt`, `publicName` and `detail` within `MAX_TEXT`.
 *
 * What refuses a submit (`deferred`, `not_paid`) speaks of that call alone. Where the same id went out before, the refusal
 * of the repeat proves nothing about the first: it may have been taken, whatever the second one is told. Only the rail's
 * record of the id, read by `query`, proves that an attempt that was sent twice was not paid.
 */
export type RailAnswer =
  /** Accepted, not paid yet. Also the reading of every status or code that we do not know: pending, never failed. */
  | { readonly outcome: 'submitted' }
  /** Paid. Amount and recipient are the rail's own and equal to the instruction's, else the outcome is `mismatch`. */
  | {
      readonly outcome: 'succeeded';
      readonly receipt: string;
      readonly publicName: string | null;
      readonly amountMinor: bigint;
      readonly recipient: string;
    }
  /**
   * Proven not paid. `routeLeft`: the reason is this rail's and not the recipient's, so another route may pay
   * under a new attempt; whether there is another route is the caller's to know.
   */
  | { readonly outcome: 'not_paid'; readonly code: FailureCode; readonly routeLeft: boolean; readonly detail: string }
  /** This call was proven not taken, and the fault is ours or the rail's, not the partner's: park it. */
  | { readonly outcome: 'deferred'; readonly reason: 'float' | 'config' | 'corridor_off'; readonly detail: string }
  /** Was paid under this receipt, and the money came back. */
  | { readonly outcome: 'reversed'; readonly receipt: string; readonly detail: string }
  /** The rail's record under our id has another amount, currency or recipient: hold for review. */
  | { readonly outcome: 'mismatch'; readonly detail: string }
  /** The outcome of a submit is open, or the rail does not know our id (which is no proof that it never will). */
  | { readonly outcome: 'unknown'; readonly detail: string }
  /** A status query failed. Not an event of the payment: ask again later. */
  | { readonly outcome: 'query_failed'; readonly detail: string };

export type RailOutcome = RailAnswer['outcome'];

/** What a rail can do, as data that payments decides by. */
export interface ProviderCapabilities {
  /** A second submit under the same id pays nothing and tells of the first. */
  readonly dedupesById: boolean;
  /** How long after a failure a payment may still turn out paid: polled on for so long. */
  readonly lateWindowMs: number;
  /** Wait before the first, second, … query after the answer before it; the last one repeats. */
  readonly pollScheduleMs: readonly number[];
  /** Bound on one whole call: connect, send, and read to the end. */
  readonly callTimeoutMs: number;
  /** The rail tells the recipient's name. */
  readonly resolvesNames: boolean;
}

/**
 * A rail that pays out. Neither call throws for the rail's trouble: timeouts, resets, 5xx and answers we cannot
 * read are `unknown` on submit and `query_failed` on query. What throws is a bug of ours.
 */
export interface PayoutProvider {
  /** Also the rail's name in ledger accounts (`rail:<id>:<currency>`). */
  readonly id: string;
  readonly capabilities: ProviderCapabilities;
  /** Of a submit sent again, a refusal proves nothing about the first one. */
  submit(instruction: PayoutInstruction): Promise<RailAnswer>;
  query(instruction: PayoutInstruction): Promise<RailAnswer>;
}

/** A provider that holds connections. `close` ends them; calls in flight are given their time. */
export interface ConnectedProvider extends PayoutProvider {
  close(): Promise<void>;
}
