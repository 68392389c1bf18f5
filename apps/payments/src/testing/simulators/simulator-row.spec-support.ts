import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PayoutDestination } from '@vuka/domain';
import type { BalanceProvider, CallbackProvider, ConnectedProvider } from '@vuka/payouts';
import type { ManualClock } from '@vuka/runtime';

export type SimulatedProvider = ConnectedProvider & BalanceProvider & CallbackProvider;

/** By the provider's own book. */
export interface BookedPayment {
  readonly receipt: string;
  /** It came back. */
  readonly reversed: boolean;
}

/** A provider's simulator and its adapter, on the suite's clock. */
export interface RunningSimulator {
  readonly provider: SimulatedProvider;
  /** Moves the suite's clock; resolves when all that is due by then is done, and its callbacks are answered. */
  moveClock(ms: number): Promise<void>;
  paymentsOf(attemptId: string): readonly BookedPayment[];
  /** Never to be paid any more, as people have agreed with the provider. */
  end(attemptId: string): Promise<void>;
  /** The most calls that were taken under one id. Left out where a second one never is. */
  mostTaken?(): number;
  /** All of them, those that came back too. */
  countPayments(): number;
  /** Hundredths of the row's currency that it took for paying, told by answers or not. */
  fees(): bigint;
  /** Hundredths. */
  topUp(amount: bigint): Promise<void>;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly clock: ManualClock;
  readonly callbackUrl: string;
  /** Where it asks before it pays, if it does. */
  readonly approvalUrl: string;
}

/** A provider whose simulator chooses by the recipient's number how it misbehaves. */
export interface SimulatorRow {
  readonly id: string;
  readonly currency: string;
  readonly wallet: string;
  /** Names of what the simulator can do to a payout. */
  readonly behaviours: readonly string[];
  readonly destinationOf: (behaviour: string) => PayoutDestination;
  start(options: StartOptions): Promise<RunningSimulator>;
}

/** By the machine's clock: a simulator that holds its answer costs so much. */
export const CALL_TIMEOUT_MS = 1_000;
/** What a simulator takes for each payment, in hundredths. */
export const FEE = 35n;
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A folder of its own, and how it goes. */
export async function ownFolder(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
