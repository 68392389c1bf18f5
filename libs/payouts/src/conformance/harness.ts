import type {
  ConnectedProvider,
  NameQuestion,
  PayoutInstruction,
  ProviderCallback,
  ProviderOutcome,
  ProviderPayment,
  SandboxPayoutControl,
} from '../payout-provider.js';
import type { FirstCall, ForgedAnswer, Method, RudeAnswer, RudeServer } from './rude-server.js';

/** Passed in, so that this package needs no test runner. */
export interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>, timeoutMs?: number): void;
}

export interface ConnectOptions {
  readonly baseUrl: string;
  readonly credential: string;
  readonly callTimeoutMs: number;
}

/** The provider's own sandbox, or our substitute for it. */
export interface HonestSimulator {
  readonly baseUrl: string;
  readonly credential: string;
  /** Ends everything accepted so far; a second call makes what follows the end. */
  settle(): void | Promise<void>;
  /** Whether a repeat pays nothing more there. Default: as the provider promises; what it does not promise it may do. */
  readonly dedupes?: boolean;
  /** From the provider's own records. */
  timesPaid(attemptId: string): Promise<number>;
  readonly control?: SandboxPayoutControl;
  stop(): Promise<void>;
}

/** Each with a new id. Cases without a function here are skipped. */
export interface Troubles {
  nameless(): PayoutInstruction;
  unansweredPaid(): PayoutInstruction;
  unansweredExpired(): PayoutInstruction;
  /** In progress until the control releases it. */
  held(): PayoutInstruction;
  reversed(): PayoutInstruction;
  paidTwice(): PayoutInstruction;
  /** Refused until the control tops it up. */
  withoutFloat(): PayoutInstruction;
  /** Paid, but the provider's record has another amount. */
  anotherAmount(): PayoutInstruction;
  routeLeft(): PayoutInstruction;
}

/** The suite sets the timeout. */
export type Named = Pick<NameQuestion, 'destination' | 'currency'>;

export interface HonestNames {
  /** One recipient of each kind. */
  known(): readonly (Named & { readonly name: string })[];
  nobody(): Named;
  /** The recipient exists. */
  nameless?(): Named;
  /** Accepted, but never answered. */
  unanswered?(): Named;
}

export interface HonestHarness {
  connect(options: ConnectOptions): ConnectedProvider;
  startProvider(): Promise<HonestSimulator>;
  /** A new instruction with a new id. */
  payable(): PayoutInstruction;
  /** One per recipient kind; default: `payable` alone. */
  payables?(): PayoutInstruction[];
  /** Accepted, and then told to be nobody's. Left out where no reason is told after acceptance. */
  readonly recipientNotFound?: () => PayoutInstruction;
  /** Rejected after it was accepted. */
  rejected(): PayoutInstruction;
  readonly troubles?: Partial<Troubles>;
  /** Its statement lists transfers as they are now, and no events: a suite of its own reads it. */
  readonly statementIsOfStatuses?: true;
  /** Required if the provider looks up names. */
  readonly names?: HonestNames;
}

export type HonestCase = (provider: ConnectedProvider, simulator: HonestSimulator) => Promise<void>;

export type Forge = (instruction: PayoutInstruction) => ForgedAnswer;

export interface RudeNames {
  asked(): Named;
  found(name: string): ForgedAnswer;
  readonly nobody: ForgedAnswer;
  readonly nameless?: ForgedAnswer;
  /** Answers without information, by kind: an unknown status, an invalid name, a refusal. */
  readonly unreadable: Readonly<Record<string, ForgedAnswer>>;
}

/** What it asks before it pays. */
export interface Approvals {
  /** As the provider signs it, for a payout as instructed or changed. */
  question(payout: PayoutInstruction): ProviderCallback;
  /** The same without its signature, or with another's. */
  forged(payout: PayoutInstruction): ProviderCallback;
}

export interface RudeHarness {
  connect(options: ConnectOptions): ConnectedProvider;
  payable(): PayoutInstruction;
  /** One per recipient kind; default: `payable` alone. */
  payables?(): PayoutInstruction[];
  readonly accepted: Forge;
  /** For a repeated submit, if the provider says only that. */
  readonly duplicate?: Forge;
  readonly notFound: ForgedAnswer;
  readonly paid: Forge;
  /** PAID without proof. */
  readonly paidWithoutReceipt: Forge;
  paidWith(receipt: string, name: string): Forge;
  readonly paidAs?: (payments: readonly ProviderPayment[]) => Forge;
  /** Each one proves that the submit was not taken. */
  readonly refusals?: Readonly<Record<string, ForgedAnswer>>;
  /** Also an unknown failure code. */
  readonly unknownStatus: Forge;
  readonly unknownFailure: Forge;
  /** A good first page, and unreliable ones. */
  readonly statement?: { readonly good: ForgedAnswer; readonly broken: Readonly<Record<string, ForgedAnswer>> };
  /** Required if the provider looks up names. */
  readonly names?: RudeNames;
  /** Answers that its documents give a meaning, which they lack elsewhere. */
  readonly documented?: Partial<
    Record<RudeAnswer, { readonly submit: ProviderOutcome; readonly query: ProviderOutcome }>
  >;
  /** Of the call that pays. Default: POST. */
  readonly payMethod?: Method;
  /** The call that a submit makes before the one that pays, known by its method, or by its path where both have one method. */
  readonly before?: FirstCall;
  /** A question that was taken. Required if queries are answered by callback. */
  readonly asked?: ForgedAnswer;
  /** Required if the provider asks before it pays. */
  readonly approvals?: Approvals;
}

export type RudeCase = (provider: ConnectedProvider, server: RudeServer) => Promise<void>;

export const CREDENTIAL = 'conformance-credential';
export const SHORT_TIMEOUT_MS = 250;
export const LONG_TIMEOUT_MS = 5_000;
