import type { PayoutDestination } from '@vuka/domain';
import { chapaProvider, pawapayProvider, payoutIdOf, paystackProvider } from '@vuka/payouts';
import type { ManualClock } from '@vuka/runtime';
import { startChapaSimulator, startPawapaySimulator, startPaystackSimulator } from '@vuka/sandbox';

import { chapaRow } from './chapa-row.spec-support.js';
import { pawapayRow } from './pawapay-row.spec-support.js';
import { paystackRow } from './paystack-row.spec-support.js';
import { type BookedPayment, silent, type SimulatedProvider } from './simulator-row.spec-support.js';

interface KeyedStart {
  /** Its book is there, also from before. */
  readonly folder: string;
  /** The only one that it takes. */
  readonly key: string;
  readonly clock: ManualClock;
  readonly port?: number;
}

export interface RunningProvider {
  readonly baseUrl: string;
  readonly port: number;
  moveClock(ms: number): Promise<void>;
  release(attemptId: string): Promise<void>;
  countPayments(): number;
  stop(): Promise<void>;
}

/** A provider's simulator that is started with a key, and its adapter with the same or another one. */
export interface KeyedProvider {
  readonly id: string;
  readonly currency: string;
  readonly destinationOf: (digits: string) => PayoutDestination;
  /** How its keys begin. */
  readonly keyPrefix: string;
  /** Digits of a payout that waits there until it is released. */
  readonly untilReleased: string;
  start(options: KeyedStart): Promise<RunningProvider>;
  connect(baseUrl: string, key: string, clock: ManualClock): SimulatedProvider;
}

interface Simulator {
  readonly baseUrl: string;
  readonly control: {
    moveClock(ms: number): Promise<void>;
    steer(id: string, action: 'release'): Promise<boolean>;
    book(): object;
  };
  stop(): Promise<void>;
}

type Booked = readonly { readonly payments: readonly BookedPayment[] }[];

/** `list`: of its book, where payments are. */
function run({ baseUrl, control, stop }: Simulator, list: string, bookIdOf = (id: string) => id): RunningProvider {
  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    moveClock: (ms) => control.moveClock(ms),
    release: async (attemptId) => {
      if (!(await control.steer(bookIdOf(attemptId), 'release'))) throw new Error(`${attemptId} cannot be released`);
    },
    countPayments: () =>
      (control.book() as Readonly<Record<string, Booked>>)[list]?.flatMap((one) => one.payments).length ?? 0,
    stop,
  };
}

/** Nothing here is answered late. */
const TIMEOUT = { callTimeoutMs: 10_000 };
const CHAPA_SECRETS = { secretHash: 'secret-hash-of-webhooks', approvalSecret: 'secret-of-approvals' };

export const KEYED_PROVIDERS: readonly KeyedProvider[] = [
  {
    ...pawapayRow,
    keyPrefix: '',
    untilReleased: '0106',
    start: async ({ key, ...given }) =>
      run(await startPawapaySimulator({ ...given, token: key, log: silent }), 'payouts', payoutIdOf),
    connect: (baseUrl, credential, clock) => pawapayProvider({ baseUrl, credential, clock, ...TIMEOUT }),
  },
  {
    ...paystackRow,
    keyPrefix: 'sk_test_',
    untilReleased: '0106',
    start: async ({ key, ...given }) =>
      run(await startPaystackSimulator({ ...given, secret: key, log: silent }), 'transfers'),
    connect: (baseUrl, credential, clock) => paystackProvider({ baseUrl, credential, clock, ...TIMEOUT }),
  },
  {
    ...chapaRow,
    keyPrefix: 'CHASECK-',
    untilReleased: '0102',
    // Without an address it does not ask before it pays.
    start: async ({ key, ...given }) =>
      run(await startChapaSimulator({ ...given, ...CHAPA_SECRETS, token: key, log: silent }), 'transfers'),
    connect: (baseUrl, credential, clock) =>
      chapaProvider({
        baseUrl,
        credential,
        clock,
        signingSecrets: Object.values(CHAPA_SECRETS),
        decimals: 2,
        ...TIMEOUT,
      }),
  },
];
