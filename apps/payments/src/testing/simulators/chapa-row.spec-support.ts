import { chapaProvider } from '@vuka/payouts';
import { CHAPA_NUMBERS, startChapaSimulator } from '@vuka/sandbox';

import {
  type BookedPayment,
  CALL_TIMEOUT_MS,
  FEE,
  ownFolder,
  silent,
  type SimulatorRow,
} from './simulator-row.spec-support.js';

const SECRETS = { secretHash: 'secret-hash-of-webhooks', approvalSecret: 'secret-of-approvals' };

/** Whatever is sent again is paid again, and it asks before it pays. */
export const chapaRow: SimulatorRow = {
  id: 'chapa',
  currency: 'ETB',
  wallet: 'main',
  behaviours: Object.keys(CHAPA_NUMBERS),
  destinationOf: (digits) => ({ kind: 'mobile', phone: `+25191234${digits}`, mobile_network: 'Telebirr' }),
  start: async ({ clock, callbackUrl, approvalUrl }) => {
    const { folder, remove } = await ownFolder();
    const credential = 'CHASECK-key-of-a-merchant';
    const { baseUrl, control, stop } = await startChapaSimulator({
      folder,
      token: credential,
      ...SECRETS,
      log: silent,
      clock,
      settings: {
        opening: '0',
        repeats: 'paid_again',
        chargeHundredths: FEE,
        webhooks: { url: callbackUrl },
        approval: { url: approvalUrl },
      },
    });
    const provider = chapaProvider({
      baseUrl,
      credential,
      signingSecrets: Object.values(SECRETS),
      decimals: 2,
      callTimeoutMs: CALL_TIMEOUT_MS,
      clock,
    });
    const transfers = () =>
      control.book().transfers as readonly { reference: string; payments: readonly BookedPayment[] }[];
    return {
      provider,
      moveClock: async (ms) => {
        // A call that nobody waits for any more is in the simulator's hands when this one is answered.
        await provider.balances();
        // It asks before time passes.
        await control.moveClock(0);
        await control.moveClock(ms);
      },
      paymentsOf: (attemptId) => control.payments(attemptId),
      end: async (attemptId) => void (await control.steer(attemptId, 'fail')),
      mostTaken: () => {
        const taken = new Map<string, number>();
        for (const { reference } of transfers()) taken.set(reference, (taken.get(reference) ?? 0) + 1);
        return Math.max(...taken.values());
      },
      countPayments: () => transfers().flatMap(({ payments }) => payments).length,
      fees: () => BigInt(control.account().charges.replace('.', '')),
      topUp: (amount) => control.topUp(amount),
      stop: async () => {
        await provider.close();
        await stop();
        await remove();
      },
    };
  },
};
