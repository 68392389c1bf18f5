import type { FailureCode, LookupDestination, Money, PayoutDestination } from '@vuka/domain';

export type {
  BankRecipient,
  LookupDestination,
  MobileRecipient,
  PaybillRecipient,
  PayoutDestination,
  TillRecipient,
} from '@vuka/domain';

/** One attempt to pay. The very same instruction is given to `submit` and to every later `query`. */
export interface PayoutInstruction {
  /** Ours, unique per attempt, committed before the call goes out (providers.md 0.4). */
  readonly attemptId: string;
  /** Ours: the same for all attempts at one transaction, and no other transaction's. 1 to 64 of `A-Z a-z 0-9 . _ : -`. */
  readonly orderId: string;
  /** What the recipient gets. */
  readonly amount: Money;
  readonly destination: PayoutDestination;
  /** W3C trace of the request that asked for it, carried on to the provider. */
  readonly traceparent?: string;
}

/** One of several payments under one id of ours. */
export interface ProviderPayment {
  readonly receipt: string;
  /** It came back. */
  readonly reversed: boolean;
}

/**
 * What a provider said, or that it said nothing we may rely on. `detail` is for operators and logs: codes and
 * shapes, never an account number or a credential. The adapter has cleaned every text that is the provider's (`providerText`),
 * so that it can be stored: no control characters, well-formed, `receipt`, `publicName` and `detail` within `MAX_TEXT`.
 *
 * What refuses a submit (`deferred`, `not_paid`) speaks of that call alone. Where the same id went out before, the refusal
 * of the repeat proves nothing about the first: it may have been taken, whatever the second one is told. Only the provider's
 * record of the id, read by `query`, proves that an attempt that was sent twice was not paid.
 */
export type ProviderAnswer =
  /** Accepted, not paid yet. Also the reading of every status or code that we do not know: pending, never failed. */
  | {
      readonly outcome: 'submitted';
      /** The provider's own id of the payment, where it is not ours. */
      readonly providerPaymentId?: string;
    }
  /** Paid. Amount and recipient are the provider's own and equal to the instruction's, else the outcome is `mismatch`. */
  | {
      readonly outcome: 'succeeded';
      readonly receipt: string;
      readonly publicName: string | null;
      readonly amount: Money;
      readonly recipient: string;
      /** What the provider took for it, where it tells. */
      readonly fee?: Money;
      /** Payments the provider made under this id besides `receipt`: a faulty provider's. */
      readonly otherPayments?: readonly ProviderPayment[];
    }
  /**
   * Proven not paid. `routeLeft`: the reason is this provider's and not the recipient's, so another route may pay
   * under a new attempt; whether there is another route is the caller's to know.
   */
  | {
      readonly outcome: 'not_paid';
      readonly code: FailureCode;
      readonly routeLeft: boolean;
      readonly detail: string;
      /** The fault is ours: where no route is left, the payment should wait for us instead of failing its partner. */
      readonly ourFault?: 'float' | 'config';
    }
  /** This submit was proven not taken, and the fault is ours or the provider's, not the partner's: park it. A query says nothing by it. */
  | {
      readonly outcome: 'deferred';
      readonly reason: 'float' | 'config' | 'corridor_off' | 'unreachable';
      readonly detail: string;
    }
  /** Was paid under this receipt, and the money came back. */
  | {
      readonly outcome: 'reversed';
      readonly receipt: string;
      readonly publicName?: string | null;
      readonly detail: string;
      readonly otherPayments?: readonly ProviderPayment[];
    }
  /** The provider's record under our id has another amount, currency or recipient: hold for review. */
  | { readonly outcome: 'mismatch'; readonly detail: string }
  /**
   * The outcome of a submit is open, or the provider does not know our id. `notFound`: a query was answered that there is no such id,
   * which proves nothing before `notFoundProvesAfterMs`. A submit that is told that the provider has the id is `submitted`, never this.
   */
  | { readonly outcome: 'unknown'; readonly detail: string; readonly notFound?: boolean }
  /** A status query failed. Not an event of the payment: ask again later. */
  | { readonly outcome: 'query_failed'; readonly detail: string };

export type ProviderOutcome = ProviderAnswer['outcome'];

/** What a provider can do, as data that payments decides by. */
export interface ProviderCapabilities {
  /**
   * For how long after the first submit another one under the same id surely pays nothing and tells of the first; null: never.
   * What the provider has acknowledged is not sent again even then.
   */
  readonly dedupesForMs: number | null;
  /** How long after the last submit "not found" proves that nothing was taken and nothing will be; null: it never does. */
  readonly notFoundProvesAfterMs: number | null;
  /** How long after its end an attempt may still turn out otherwise (paid after all, reversed, paid again): looked at for so long. */
  readonly lateWindowMs: number;
  /**
   * How long after "not paid" the value of that payment is not sent back on chain, because the provider may still turn out to have paid. Milliseconds.
   * Absent: its "not paid" is final at once.
   */
  readonly refundSafeAfterMs?: number;
  /** Wait before the first, second, … look at an attempt that has ended, while its late window is open; the last one repeats. */
  readonly latePollScheduleMs: readonly number[];
  /** What one payout may be, in minor units, by currency; a currency that is not named has no limit of the provider's own. */
  readonly limits: Readonly<Record<string, { readonly minMinor: bigint; readonly maxMinor: bigint }>>;
  /** Calls under way at one time, of each purpose: a slow provider takes up its own room and nobody else's. */
  readonly callsAtOnce: number;
  /** Wait before the first, second, … query after the answer before it; the last one repeats. */
  readonly pollScheduleMs: readonly number[];
  /** Bound on one whole call: connect, send, and read to the end. */
  readonly callTimeoutMs: number;
  /** The provider tells the recipient's name. */
  readonly resolvesNames: boolean;
}

/**
 * A provider that pays out. Neither call throws for the provider's trouble: timeouts, resets, 5xx and answers we cannot
 * read are `unknown` on submit and `query_failed` on query. What throws is a bug of ours.
 */
export interface PayoutProvider {
  /** Also the provider's name in ledger accounts (`rail:<id>:<currency>`). */
  readonly id: string;
  readonly capabilities: ProviderCapabilities;
  /** Of a submit sent again, a refusal proves nothing about the first one. */
  submit(instruction: PayoutInstruction): Promise<ProviderAnswer>;
  query(instruction: PayoutInstruction): Promise<ProviderAnswer>;
}

/** A line of a provider's statement: what became of one of our ids. */
export interface StatementEntry {
  readonly attemptId: string;
  readonly event: 'paid' | 'not_paid' | 'reversed';
  /** null: the line names none. */
  readonly receipt: string | null;
}

export interface StatementPage {
  /** Oldest first; accepted-only lines are left out. */
  readonly entries: readonly StatementEntry[];
  /** Where the next page begins. */
  readonly next: string;
  readonly more: boolean;
}

/** A provider that also lists what it has done, whatever it was asked: only a hint which attempts to ask about again. */
export interface StatementProvider extends PayoutProvider {
  /** The page after `cursor`, null: from the beginning. Resolves null where it could not be read; never throws for the provider's trouble. */
  statement(cursor: string | null): Promise<StatementPage | null>;
}

export function hasStatement(provider: PayoutProvider): provider is StatementProvider {
  return 'statement' in provider;
}

/** Whose name is on a destination. */
export interface NameQuestion {
  readonly destination: LookupDestination;
  /** ISO 4217: the country whose providers know the destination. */
  readonly currency: string;
  readonly traceparent?: string;
  /** Bound on the whole call, never more than the provider's own. */
  readonly timeoutMs: number;
}

/** What a provider said of a name. `name` is cleaned (`providerText`) and not empty. */
export type NameAnswer =
  | { readonly outcome: 'found'; readonly name: string }
  /** Proven that there is no such recipient. */
  | { readonly outcome: 'not_found' }
  /** The provider cannot tell names of such destinations, or not this one's. Nothing is known. */
  | { readonly outcome: 'cannot_tell' }
  /** It did not say: down, late, or in a shape we do not know. `detail` as in ProviderAnswer. */
  | { readonly outcome: 'failed'; readonly detail: string };

/** A provider that can be asked for names. Never throws for the provider's trouble. */
export interface NameProvider extends PayoutProvider {
  lookUpName(question: NameQuestion): Promise<NameAnswer>;
}

export function looksUpNames(provider: PayoutProvider): provider is NameProvider {
  return 'lookUpName' in provider;
}

export type BalancesAnswer =
  /** What it holds for us, once for each currency. Below nothing where it counts from nothing and has paid. */
  | { readonly outcome: 'told'; readonly balances: readonly Money[] }
  /** Down, late, or in a shape we do not know. `detail` as in ProviderAnswer. */
  | { readonly outcome: 'failed'; readonly detail: string };

/** A provider that tells its balances: what the ledger's account of it is held against. */
export interface BalanceProvider extends PayoutProvider {
  readonly balanceRules: {
    /** Its balance falls when it accepts a payment, and rises again when that fails. Otherwise it falls when it pays. */
    readonly debitsOnAcceptance: boolean;
    /** What the ledger was opened with (sandbox_opened, sandbox_float_opened) is in its balance. Otherwise it counts from nothing. */
    readonly holdsOpening: boolean;
  };
  /** Of all currencies that it has money in, or had. Never throws for the provider's trouble. */
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
}

export interface CallbackReading {
  /** Proven to be the provider's and meant for us. Everything else is a hint that the provider should be asked. */
  readonly signed: boolean;
  /** Why it is not. `detail` as in ProviderAnswer. */
  readonly detail: string;
  /** Attempts that it may be about, one of which exists at most; [] where it names none. */
  readonly attemptIds: readonly string[];
  /**
   * What it says of this attempt, held against the instruction as a query's answer is. `query_failed`, which is no event, where it is
   * not signed, is about something else or cannot be read: ask the provider.
   */
  answerFor(instruction: PayoutInstruction): ProviderAnswer;
}

/** A provider that calls back. Never throws for what came in. */
export interface CallbackProvider extends PayoutProvider {
  parseCallback(callback: ProviderCallback): Promise<CallbackReading>;
}

export function callsBack(provider: PayoutProvider): provider is CallbackProvider {
  return 'parseCallback' in provider;
}

/** What a sandbox provider lets its user decide about one payout. Resolves false where there was nothing to do. */
export interface SandboxPayoutControl {
  /** Lets a payout end that is held in progress. */
  release(attemptId: string): Promise<boolean>;
  /** Pays now, whatever became of it: late after a failure, again after a payment. */
  pay(attemptId: string): Promise<boolean>;
  /** The last payment comes back. */
  reverse(attemptId: string): Promise<boolean>;
  /** Gives the provider float for this order, where it needs some and had none. */
  topUp(order: Pick<PayoutInstruction, 'orderId' | 'amount' | 'destination'>): Promise<boolean>;
}

/** A provider that holds connections. `close` ends them; calls in flight are given their time. */
export interface ConnectedProvider extends PayoutProvider {
  close(): Promise<void>;
}
