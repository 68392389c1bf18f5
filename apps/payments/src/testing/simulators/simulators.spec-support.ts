import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PayoutDestination } from '@vuka/domain';
import {
  type BalanceProvider,
  type CallbackProvider,
  type ConnectedProvider,
  pawapayProvider,
  payoutIdOf,
} from '@vuka/payouts';
import type { ManualClock } from '@vuka/runtime';
import { PAWAPAY_NUMBERS, startPawapaySimulator } from '@vuka/sandbox';

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
  /** All of them, those that came back too. */
  countPayments(): number;
  /** Hundredths of the row's currency that it took for paying. */
  fees(): bigint;
  /** Hundredths. */
  topUp(amount: bigint): Promise<void>;
  stop(): Promise<void>;
}

/** A provider whose simulator chooses by the recipient's number how it misbehaves. */
export interface SimulatorRow {
  readonly id: string;
  readonly currency: string;
  readonly wallet: string;
  /** Names of what the simulator can do to a payout. */
  readonly behaviours: readonly string[];
  readonly destinationOf: (behaviour: string) => PayoutDestination;
  start(options: { readonly clock: ManualClock; readonly callbackUrl: string }): Promise<RunningSimulator>;
}

/** By the machine's clock: a simulator that holds its answer costs so much. */
const CALL_TIMEOUT_MS = 1_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const pawapay: SimulatorRow = {
  id: 'pawapay',
  currency: 'MWK',
  wallet: 'mw',
  behaviours: Object.keys(PAWAPAY_NUMBERS),
  destinationOf: (digits) => ({ kind: 'mobile', phone: `+26599345${digits}`, mobile_network: 'Airtel Money' }),
  start: async ({ clock, callbackUrl }) => {
    const folder = await mkdtemp(join(tmpdir(), 'pawapay-'));
    const credential = 'test-token-of-a-merchant';
    const { baseUrl, control, stop } = await startPawapaySimulator({
      folder,
      token: credential,
      log: silent,
      clock,
      settings: {
        opening: '0.00',
        fees: { default: { fixedHundredths: 35n, basisPoints: 0n } },
        callbacks: { url: callbackUrl },
      },
    });
    const provider = pawapayProvider({
      baseUrl,
      credential,
      callbackHost: new URL(callbackUrl).host,
      callTimeoutMs: CALL_TIMEOUT_MS,
      clock,
    });
    const payments = (): readonly BookedPayment[] =>
      (control.book().payouts as readonly { payments: readonly BookedPayment[] }[]).flatMap(
        (payout) => payout.payments,
      );
    return {
      provider,
      moveClock: async (ms) => {
        // A call that nobody waits for any more is in the simulator's hands when this one is answered.
        await provider.balances();
        await control.moveClock(ms);
      },
      paymentsOf: (attemptId) => control.payments(payoutIdOf(attemptId)),
      end: async (attemptId) => void (await control.steer(payoutIdOf(attemptId), 'fail')),
      countPayments: () => payments().length,
      fees: () => control.wallets().reduce((sum, { fees }) => sum + BigInt(fees.replace('.', '')), 0n),
      topUp: async (amount) => {
        const isDone = await control.topUp({ country: 'MWI', currency: 'MWK', provider: '' }, amount);
        if (!isDone) throw new Error('pawaPay has no such wallet');
      },
      stop: async () => {
        await provider.close();
        await stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

export const SIMULATORS: readonly SimulatorRow[] = [pawapay];
