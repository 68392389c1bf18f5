import type {
  ConnectedProvider,
  NameQuestion,
  PayoutInstruction,
  ProviderPayment,
  SandboxPayoutControl,
} from '../payout-provider.js';
import type { ForgedAnswer, RudeServer } from './rude-server.js';

/** The test runner's two words; handed in, so that this package needs no runner. */
export interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>, timeoutMs?: number): void;
}

export interface ConnectOptions {
  readonly baseUrl: string;
  readonly credential: string;
  readonly callTimeoutMs: number;
}

/** A provider that keeps its word: the provider's own sandbox, or our stand-in for it. */
export interface HonestSimulator {
  readonly baseUrl: string;
  readonly credential: string;
  /** Makes due what is next of everything accepted so far: its end, or what comes after that. */
  settle(): void;
  /** How many times the provider's own book says that this id was paid. */
  timesPaid(attemptId: string): Promise<number>;
  /** Where the provider can be steered. */
  readonly control?: SandboxPayoutControl;
  stop(): Promise<void>;
}

/** What a provider can be made to do, each with a new instruction, under a new id, that makes it do so. Cases of what is not here are left out. */
export interface Troubles {
  /** Paid, and the provider cannot tell the name. */
  nameless(): PayoutInstruction;
  /** The submit is not answered, and the payout is made. */
  unansweredPaid(): PayoutInstruction;
  /** The submit is not answered, and the payout expires. */
  unansweredExpired(): PayoutInstruction;
  /** In progress until released by the provider's control. */
  held(): PayoutInstruction;
  /** Paid, and then it comes back. */
  reversed(): PayoutInstruction;
  /** Paid, and then paid again. */
  paidTwice(): PayoutInstruction;
  /** Refused until the provider's control tops it up. */
  withoutFloat(): PayoutInstruction;
  /** Paid, with another amount in the provider's record. */
  anotherAmount(): PayoutInstruction;
  /** Not paid for a reason of the provider's own. */
  routeLeft(): PayoutInstruction;
}

/** Whom to ask about; without its patience, which is the suite's. */
export type Named = Pick<NameQuestion, 'destination' | 'currency'>;

/** What a provider that is asked for names tells of whom. Cases of what is optional and not here are left out. */
export interface HonestNames {
  /** Each kind of recipient that it knows the names of, with the name. */
  known(): readonly (Named & { readonly name: string })[];
  /** There is no such recipient. */
  nobody(): Named;
  /** There is one, and its name cannot be told. */
  nameless?(): Named;
  /** The question is taken and not answered. */
  unanswered?(): Named;
}

export interface HonestHarness {
  connect(options: ConnectOptions): ConnectedProvider;
  startProvider(): Promise<HonestSimulator>;
  /** A new instruction, under a new id, that this provider pays. */
  payable(): PayoutInstruction;
  /** The same to each kind of recipient that this provider pays; default: `payable` alone. */
  payables?(): PayoutInstruction[];
  /** One whose recipient this provider does not find. */
  recipientNotFound(): PayoutInstruction;
  /** One that this provider turns down after it was accepted. */
  rejected(): PayoutInstruction;
  readonly troubles?: Partial<Troubles>;
  /** Exactly where the provider can be asked for names. */
  readonly names?: HonestNames;
}

export type HonestCase = (provider: ConnectedProvider, simulator: HonestSimulator) => Promise<void>;

/** Writes down what the provider would answer about an instruction. */
export type Forge = (instruction: PayoutInstruction) => ForgedAnswer;

/** Writes down what the provider would answer to who asks for a name. */
export interface RudeNames {
  asked(): Named;
  /** The name itself, whatever it is. */
  found(name: string): ForgedAnswer;
  readonly nobody: ForgedAnswer;
  readonly nameless?: ForgedAnswer;
  /** Answers that tell nothing, by what they are: a status in no table, a name that is none, a refusal. */
  readonly unreadable: Readonly<Record<string, ForgedAnswer>>;
}

export interface RudeHarness {
  connect(options: ConnectOptions): ConnectedProvider;
  payable(): PayoutInstruction;
  /** The same to each kind of recipient that this provider pays; default: `payable` alone. */
  payables?(): PayoutInstruction[];
  /** The provider's acceptance of an instruction. */
  readonly accepted: Forge;
  /** The provider's answer to a submit it has had before, where it says no more than that. */
  readonly duplicate?: Forge;
  /** The provider's answer to a query that it has no such id. */
  readonly notFound: ForgedAnswer;
  /** The provider's answer that an instruction was paid. */
  readonly paid: Forge;
  /** PAID without what proves it. */
  readonly paidWithoutReceipt: Forge;
  /** Paid, with this receipt and (where the provider tells names) this name. */
  paidWith(receipt: string, name: string): Forge;
  /** Paid several times under one id, where the provider's record can say so. */
  readonly paidAs?: (payments: readonly ProviderPayment[]) => Forge;
  /** Refusals of a submit by which the provider says that it took nothing. */
  readonly refusals?: Readonly<Record<string, ForgedAnswer>>;
  /** A status, and the code of a failure, that are in no table. */
  readonly unknownStatus: Forge;
  readonly unknownFailure: Forge;
  /** Where the provider has a statement: a first page as it should be, and ones that cannot be relied on. */
  readonly statement?: { readonly good: ForgedAnswer; readonly broken: Readonly<Record<string, ForgedAnswer>> };
  /** Exactly where the provider can be asked for names. */
  readonly names?: RudeNames;
}

export type RudeCase = (provider: ConnectedProvider, server: RudeServer) => Promise<void>;

export const CREDENTIAL = 'conformance-credential';
export const SHORT_TIMEOUT_MS = 250;
export const LONG_TIMEOUT_MS = 5_000;
