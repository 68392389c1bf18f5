import { paystackProvider } from '@vuka/payouts';
import { PAYSTACK_NUMBERS, startPaystackSimulator } from '@vuka/sandbox';

import {
  type BookedPayment,
  CALL_TIMEOUT_MS,
  FEE,
  ownFolder,
  silent,
  type SimulatorRow,
} from './simulator-row.spec-support.js';

export const paystackRow: SimulatorRow = {
  id: 'paystack',
  currency: 'NGN',
  wallet: 'main',
  behaviours: Object.keys(PAYSTACK_NUMBERS),
  destinationOf: (digits) => ({
    kind: 'bank',
    account_number: `012345${digits}`,
    bank_code: '044',
    bank_name: 'Access Bank',
  }),
  start: async ({ clock, callbackUrl }) => {
    const { folder, remove } = await ownFolder();
    const credential = 'sk_live_key-of-a-merchant';
    const { baseUrl, control, stop } = await startPaystackSimulator({
      folder,
      secret: credential,
      log: silent,
      clock,
      settings: { openingMinor: 0n, feesMinor: { default: FEE }, webhooks: { url: callbackUrl } },
    });
    const provider = paystackProvider({ baseUrl, credential, callTimeoutMs: CALL_TIMEOUT_MS, clock });
    return {
      provider,
      moveClock: async (ms) => {
        // A call that nobody waits for any more is in the simulator's hands when this one is answered.
        await provider.balances();
        await control.moveClock(ms);
      },
      paymentsOf: (attemptId) => control.payments(attemptId),
      end: async (attemptId) => void (await control.steer(attemptId, 'fail')),
      countPayments: () =>
        (control.book().transfers as readonly { payments: readonly BookedPayment[] }[]).flatMap(
          ({ payments }) => payments,
        ).length,
      fees: () => control.balances().reduce((sum, { fees }) => sum + BigInt(fees), 0n),
      topUp: async (amount) => {
        if (!(await control.topUp('NGN', amount))) throw new Error('Paystack has no such balance');
      },
      stop: async () => {
        await provider.close();
        await stop();
        await remove();
      },
    };
  },
};
