import { pawapayProvider, payoutIdOf } from '@vuka/payouts';
import { PAWAPAY_NUMBERS, startPawapaySimulator } from '@vuka/sandbox';

import {
  type BookedPayment,
  CALL_TIMEOUT_MS,
  FEE,
  ownFolder,
  silent,
  type SimulatorRow,
} from './simulator-row.spec-support.js';

export const pawapayRow: SimulatorRow = {
  id: 'pawapay',
  currency: 'MWK',
  wallet: 'mw',
  behaviours: Object.keys(PAWAPAY_NUMBERS),
  destinationOf: (digits) => ({ kind: 'mobile', phone: `+26599345${digits}`, mobile_network: 'Airtel Money' }),
  start: async ({ clock, callbackUrl }) => {
    const { folder, remove } = await ownFolder();
    const credential = 'test-token-of-a-merchant';
    const { baseUrl, control, stop } = await startPawapaySimulator({
      folder,
      token: credential,
      log: silent,
      clock,
      settings: {
        opening: '0.00',
        fees: { default: { fixedHundredths: FEE, basisPoints: 0n } },
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
        await remove();
      },
    };
  },
};
