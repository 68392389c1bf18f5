import type { DestinationKind, FailureCode, LookupDestination, Money, PayoutDestination } from '@vuka/domain';

export type {
  BankRecipient,
  LookupDestination,
  MobileRecipient,
  PaybillRecipient,
  PayoutDestination,
  TillRecipient,
} from '@vuka/domain';

/** One attempt. `submit` and every later `query` get the same instruction. */
export interface PayoutInstruction {
  /** Ours, unique per attempt, committed before the call (providers.md 0.4). */
  readonly attemptId: string;
  /** Ours, the same for all attempts of one transaction. 1 to 64 of `A-Z a-z 0-9 . _ : -`. */
  readonly orderId: string;
  readonly amount: Money;
  readonly destination: PayoutDestination;
  /** The provider's own id of this attempt, once an answer told it: for queries and repeats. */
  readonly providerPaymentId?: string;
  readonly traceparent?: string;
}

/**
 * The provider's own id, where it is not ours. The first one is kept with the attempt. Another one later is a
 * `mismatch`.
 */
interface NamedByProvider {
  readonly providerPaymentId?: string;
}

export interface ProviderPayment {
  readonly receipt: string;
  readonly reversed: boolean;
}

/**
 * `detail` is for operators and logs: codes and shapes, never an account number or a credential. Provider texts
 * are cleaned (`providerText`).
 * A refusal (`deferred`, `not_paid`) is about this submit alone. It proves nothing about an earlier submit of
 * the same id.
 * After two submits, only the provider's record (`query`) proves "not paid".
 */
export type ProviderAnswer =
  /** A status in no table is also this: pending. A refusal in no table is `unknown` (decision 0023). */
  | ({
      readonly outcome: 'submitted';
      /** It waits for a person of ours at the provider, such as for a one-time password. Says so; pages people. */
      readonly waitsForUs?: string;
    } & NamedByProvider)
  /** The provider reported the instructed amount and recipient, else the outcome is `mismatch`. */
  | ({
      readonly outcome: 'succeeded';
      readonly receipt: string;
      readonly publicName: string | null;
      readonly amount: Money;
      readonly recipient: string;
      /** The provider's charge on top, taken from the same float; absent where it tells none. */
      readonly fee?: Money;
      /** More payments under this id, by provider error. */
      readonly otherPayments?: readonly ProviderPayment[];
    } & NamedByProvider)
  /**
   * Proven. `routeLeft`: the reason is the provider, not the recipient, so another provider may pay in a new
   * attempt.
   */
  | ({
      readonly outcome: 'not_paid';
      readonly code: FailureCode;
      readonly routeLeft: boolean;
      readonly detail: string;
      /** We are at fault: if no other route is left, the payment waits for us. Only with `routeLeft`. */
      readonly ourFault?: 'float' | 'config';
    } & NamedByProvider)
  /**
   * This submit was proven not taken, and the partner is not at fault: park it. From a query, it says nothing.
   */
  | {
      readonly outcome: 'deferred';
      readonly reason: 'float' | 'config' | 'corridor_off' | 'unreachable';
      readonly detail: string;
      /** Of `corridor_off`: it says that these are not its hours. It is well, and people need not act. */
      readonly isPlanned?: true;
    }
  /** Paid, then the money was returned. */
  | ({
      readonly outcome: 'reversed';
      readonly receipt: string;
      readonly publicName?: string | null;
      readonly detail: string;
      /** The provider says the same of money that never arrived: where no payment is on record, it is `not_paid`. */
      readonly elseNotPaid?: FailureCode;
      readonly otherPayments?: readonly ProviderPayment[];
    } & NamedByProvider)
  /** The record of our id has another amount, currency or recipient: hold for review. */
  | ({ readonly outcome: 'mismatch'; readonly detail: string } & NamedByProvider)
  /**
   * The submit may have been taken. `notFound`: a query found no such id, which proves nothing before
   * `notFoundProvesAfterMs`.
   * A submit that is answered "we have this id" is `submitted`.
   */
  | ({ readonly outcome: 'unknown'; readonly detail: string; readonly notFound?: boolean } & NamedByProvider)
  /** The question was taken, and its answer comes by a callback (`queryAnswersByCallback`). */
  | { readonly outcome: 'asked' }
  /** Says nothing about the payment: query again later. */
  | { readonly outcome: 'query_failed'; readonly detail: string };

export type ProviderOutcome = ProviderAnswer['outcome'];

/** `mayPay` was false, and the call that pays was not made. */
export interface TooLate {
  readonly outcome: 'too_late';
}

export const TOO_LATE: TooLate = { outcome: 'too_late' };

/** How long the attempt is ours. */
export interface CallLease {
  /**
   * Ask it right before the call that pays, with no await between, also after other calls of one submit. False:
   * do not call, and answer `too_late`.
   */
  mayPay(): boolean;
}

/** From the first call, 95 of 100 payouts end within this, where a provider tells nothing else. */
export const USUAL_PACE_MS = 10 * 60_000;

export interface ProviderCapabilities {
  /**
   * For this long after the first submit, a repeat surely pays nothing and returns the first; null: never.
   * Acknowledged submits are never repeated.
   */
  readonly dedupesForMs: number | null;
  /** This long after the last submit, "not found" proves that nothing was or will be taken; null: never. */
  readonly notFoundProvesAfterMs: number | null;
  /** After its end, an attempt may change (paid after all, reversed, paid again). We poll for this long. */
  readonly lateWindowMs: number;
  /**
   * Wait after "not paid" before a refund on chain: the provider may still have paid. Absent: "not paid" is
   * final at once.
   */
  readonly refundSafeAfterMs?: number;
  /** 95 of 100 payouts end within this, for alarms alone. Absent: USUAL_PACE_MS. */
  readonly usualPaceMs?: number;
  /** Polls in the late window; the last one repeats. */
  readonly latePollScheduleMs: readonly number[];
  /** Per purpose, so that a slow provider blocks only itself. */
  readonly callsAtOnce: number;
  /** The last one repeats. */
  readonly pollScheduleMs: readonly number[];
  /** The whole call: connect, send, and read to the end. */
  readonly callTimeoutMs: number;
  readonly resolvesNames: boolean;
  /** Between two calls of `statement`, where it should be read less often than each second. Absent: each second. */
  readonly statementEveryMs?: number;
  /**
   * Its statement surely lists money that comes back until the late window closes, so that a paid attempt is not polled. Absent: it is
   * polled, whatever the statement says.
   */
  readonly statementTellsReturns?: true;
  /** When its balance falls. `acceptance`: it rises again where the payout fails. */
  readonly debitsAt: 'acceptance' | 'payment';
  /**
   * A query only asks, and the answer comes by a callback: it must be a CallbackProvider. That callback is signed, or
   * the question has it sent to the attempt's own path (`callbackPathOf`): else it is no answer.
   */
  readonly queryAnswersByCallback?: true;
  /**
   * Its record of an id is of one payment. A receipt that is another one later is another number of the same payment,
   * and the first one stays. Where it has an own id, another payment shows by another `providerPaymentId`.
   */
  readonly onePaymentPerId?: true;
}

/** Money of ours at a provider that payouts are paid from. */
export interface Float {
  /** Lower case letters, digits and single `-`, at most 40: a part of the ledger account `rail:<provider>:<wallet>:<currency>`. */
  readonly wallet: string;
  readonly currency: string;
}

/** The wallet of a provider that has one for each currency. */
export const MAIN_WALLET = 'main';

/** What of a destination decides which wallet pays. */
export interface PaidVia {
  readonly kind: DestinationKind;
  /** '': none. */
  readonly mobileNetwork: string;
}

/**
 * Neither call throws for provider trouble: timeouts, resets, 5xx and unreadable answers are `unknown` or
 * `query_failed`.
 * A throw is a bug of ours.
 */
export interface PayoutProvider {
  readonly id: string;
  readonly capabilities: ProviderCapabilities;
  /** All that it pays from. */
  readonly floats: readonly Float[];
  /** Which of `floats` pays this; null: it does not pay there. Kept with the attempt, so that an answer may change later. */
  walletOf(via: PaidVia, currency: string): string | null;
  /** Refusal of a repeated submit: proves nothing about the first one. */
  submit(instruction: PayoutInstruction, lease: CallLease): Promise<ProviderAnswer | TooLate>;
  query(instruction: PayoutInstruction): Promise<ProviderAnswer>;
}

export interface NameQuestion {
  readonly destination: LookupDestination;
  readonly currency: string;
  readonly traceparent?: string;
  /** At most the provider's own timeout. */
  readonly timeoutMs: number;
}

/** `name` is cleaned and not empty. */
export type NameAnswer =
  | { readonly outcome: 'found'; readonly name: string }
  /** Proven: no such recipient. */
  | { readonly outcome: 'not_found' }
  /** Nothing is known. */
  | { readonly outcome: 'cannot_tell' }
  /** Down, late, or unreadable. */
  | { readonly outcome: 'failed'; readonly detail: string };

/** Never throws for provider trouble. */
export interface NameProvider extends PayoutProvider {
  lookUpName(question: NameQuestion): Promise<NameAnswer>;
}

export function looksUpNames(provider: PayoutProvider): provider is NameProvider {
  return 'lookUpName' in provider;
}

export type NetworkAnswer =
  /** By our name. It may be wrong: numbers are moved between networks. */
  | { readonly outcome: 'told'; readonly network: string }
  | { readonly outcome: 'cannot_tell' }
  /** Down, late, or unreadable. */
  | { readonly outcome: 'failed'; readonly detail: string };

/** A provider that can say which network a phone number is probably of. Never throws for provider trouble. */
export interface NetworkProvider extends PayoutProvider {
  predictNetwork(question: {
    /** E.164. */
    readonly phone: string;
    readonly currency: string;
    readonly traceparent?: string;
    readonly timeoutMs: number;
  }): Promise<NetworkAnswer>;
}

export function predictsNetworks(provider: PayoutProvider): provider is NetworkProvider {
  return 'predictNetwork' in provider;
}

export interface FloatBalance {
  readonly wallet: string;
  /** Negative if the provider counts from zero and has paid. */
  readonly amount: Money;
  /** ISO 3166-1 alpha-2; absent: the wallet is of no country. */
  readonly country?: string;
  /** The time it is of: the provider's own, else when its answer had come. */
  readonly at: Date;
}

export type BalancesAnswer =
  /** Every wallet once for each of its currencies. */
  | { readonly outcome: 'told'; readonly balances: readonly FloatBalance[] }
  /** Down, late, or unreadable. */
  | { readonly outcome: 'failed'; readonly detail: string };

export interface BalanceProvider extends PayoutProvider {
  readonly balanceRules: {
    /** True: includes the opening entries (sandbox_opened, sandbox_float_opened). False: counts from zero. */
    readonly holdsOpening: boolean;
  };
  /** Never throws for provider trouble. */
  balances(): Promise<BalancesAnswer>;
}

export function tellsBalances(provider: PayoutProvider): provider is BalanceProvider {
  return 'balances' in provider;
}

/** A callback as it came in. Whoever takes it in has bounded its size. */
export interface ProviderCallback {
  readonly method: string;
  /** The `Host` it was sent to. */
  readonly host: string;
  /** With the query, as sent. */
  readonly path: string;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as sent: a signature is over them. */
  readonly body: Uint8Array;
  /** A signature is judged by it. Default: now. */
  readonly receivedAt?: Date;
  /** The attempt whose own path it was sent to. Nobody but us and the provider knows that path. */
  readonly attemptId?: string;
}

export interface CallbackReading {
  /** Proven to be the provider's and meant for us. Everything else is a hint that the provider should be asked. */
  readonly signed: boolean;
  /** Why it is not. `detail` as in ProviderAnswer. */
  readonly detail: string;
  /** Attempts that it may be about, one of which exists at most; [] where it names none. */
  readonly attemptIds: readonly string[];
  /**
   * What it says of this attempt, held against the instruction as a query's answer is. `query_failed`, which is no event, where it
   * is about something else or cannot be read, or is neither signed nor sent to this attempt's own path: ask the
   * provider.
   */
  answerFor(instruction: PayoutInstruction): ProviderAnswer;
}

export type ResendAnswer =
  /** It calls back again soon. */
  | { readonly outcome: 'resent' }
  /** It will not: by its own code. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** Down, late, or unreadable. */
  | { readonly outcome: 'failed'; readonly detail: string };

/** A provider that calls back. Never throws for what came in. */
export interface CallbackProvider extends PayoutProvider {
  /** What it expects as the body of our 200, JSON. Default `{}`. */
  readonly callbackAnswer?: string;
  parseCallback(callback: ProviderCallback): Promise<CallbackReading>;
  /** Has it call back once more about an attempt that has ended. Absent: it cannot be asked to. */
  resend?(attemptId: string): Promise<ResendAnswer>;
}

export function callsBack(provider: PayoutProvider): provider is CallbackProvider {
  return 'parseCallback' in provider;
}

/** What a provider asks before it pays. */
export interface ApprovalReading {
  /** Proven to be the provider's and meant for us. What is not is refused. */
  readonly signed: boolean;
  /** Why it is not. `detail` as in ProviderAnswer. */
  readonly detail: string;
  /** Attempts that it may be about, one of which exists at most; [] where it names none. */
  readonly attemptIds: readonly string[];
  readonly providerPaymentId?: string;
  /** What it would pay otherwise than instructed (amount, currency, recipient); null: nothing. */
  differenceFrom(instruction: PayoutInstruction): string | null;
}

/** What the provider wants to read. */
export interface ApprovalReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A provider that asks us back before it pays. Never throws for what came in. */
export interface ApprovalProvider extends PayoutProvider {
  /** Reads the question. Payments decides, from the committed attempt alone. */
  decideApproval(callback: ProviderCallback): Promise<ApprovalReading>;
  approvalReply(isApproved: boolean): ApprovalReply;
}

export function asksForApproval(provider: PayoutProvider): provider is ApprovalProvider {
  return 'decideApproval' in provider;
}

/** Each resolves false if there was nothing to do. */
export interface SandboxPayoutControl {
  release(attemptId: string): Promise<boolean>;
  /** Now, whatever the state: late after a failure, or again. */
  pay(attemptId: string): Promise<boolean>;
  reverse(attemptId: string): Promise<boolean>;
  /** Adds float for an order that lacked it. */
  topUp(order: Pick<PayoutInstruction, 'orderId' | 'amount' | 'destination'>): Promise<boolean>;
}

/** `close` lets calls in flight end. Without a lease, which suites leave out, `submit` may pay at any time. */
export interface ConnectedProvider extends PayoutProvider {
  submit(instruction: PayoutInstruction, lease?: CallLease): Promise<ProviderAnswer | TooLate>;
  close(): Promise<void>;
}
