import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, it } from '@jest/globals';
import { localPhone, type LookupDestination, type PayoutDestination, WALLET_CURRENCIES } from '@vuka/domain';
import {
  describeHonestSimulator,
  type HonestHarness,
  type HonestNames,
  type HonestSimulator,
  type PayoutInstruction,
  sandboxControl,
  sandboxProvider,
} from '@vuka/payouts';

import { type ProfileId, PROFILES } from './book/provider-profile.js';
import { sandboxCredential, startSandboxProvider } from './sandbox-provider.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Longer than any wait between two steps. */
const A_STEP_ON_MS = 4_000;

const PHONES = [
  '+254712345678',
  '+256772345678',
  '+2348021234567',
  '+233241234567',
  '+265991234567',
  '+243991234567',
  '+251911234567',
];
const TILL = '5123456';

function instruction(destination: PayoutDestination, currency = 'KES'): PayoutInstruction {
  return { attemptId: randomUUID(), orderId: randomUUID(), amount: { minor: 150_050n, currency }, destination };
}

function to(account_number: string): PayoutInstruction {
  return instruction({ kind: 'bank', account_number, bank_code: '01', bank_name: 'KCB Bank Kenya' });
}

function payables(): PayoutInstruction[] {
  const mobiles = PHONES.map((phone) => instruction({ kind: 'mobile', phone, mobile_network: 'MTN' }));
  return [
    ...mobiles,
    ...WALLET_CURRENCIES.flatMap((currency) => [
      { ...to('0110123456789'), amount: { minor: 150_050n, currency } },
      instruction({ kind: 'mobile', phone: '+243991234567', mobile_network: 'Airtel Money' }, currency),
      instruction({ kind: 'paybill', shortcode: '247247', account_number: 'INV-0042' }, currency),
      instruction({ kind: 'till', shortcode: TILL }, currency),
    ]),
  ];
}

const phone = (number: string): LookupDestination => ({
  kind: 'mobile',
  phone: `+25677234${number}`,
  mobile_network: 'MTN',
});

const names: HonestNames = {
  known: () => [
    ...PHONES.map(
      (of) =>
        ({
          destination: { kind: 'mobile', phone: of, mobile_network: 'MTN' },
          currency: 'CDF',
          name: `TEST ${localPhone(of).slice(-4)}`,
        }) as const,
    ),
    {
      destination: { kind: 'bank', account_number: '0110123456789', bank_code: '044', bank_name: 'Access Bank' },
      currency: 'NGN',
      name: 'TEST 6789',
    },
    { destination: { kind: 'paybill', shortcode: '247247' }, currency: 'KES', name: 'TEST 7247' },
    { destination: { kind: 'till', shortcode: TILL }, currency: 'KES', name: 'TEST 3456' },
    // Numbers whose payouts fail still have a name.
    { destination: phone('0001'), currency: 'UGX', name: 'TEST 0001' },
  ],
  nobody: () => ({ destination: phone('0000'), currency: 'UGX' }),
  nameless: () => ({ destination: phone('0006'), currency: 'UGX' }),
  unanswered: () => ({ destination: phone('0011'), currency: 'UGX' }),
};

async function startProvider(profile: ProfileId): Promise<HonestSimulator> {
  const folder = await mkdtemp(join(tmpdir(), 'provider-'));
  const credential = sandboxCredential();
  let nowMs = Date.parse('2026-11-21T10:00:00.000Z');
  const simulator = await startSandboxProvider({
    folder,
    credential,
    profile,
    log: silent,
    clock: { now: () => new Date(nowMs) },
  });
  const control = sandboxControl({ baseUrl: simulator.baseUrl, credential });
  return {
    baseUrl: simulator.baseUrl,
    credential,
    control,
    settle: () => {
      nowMs += A_STEP_ON_MS;
    },
    timesPaid: async (attemptId) => {
      const response = await fetch(`${simulator.baseUrl}/v1/book`, {
        headers: { authorization: `Bearer ${credential}` },
      });
      const { entries } = (await response.json()) as { entries: { id: string; status: string }[] };
      return entries.filter(({ id, status }) => id === attemptId && status === 'PAID').length;
    },
    stop: async () => {
      await control.close();
      await simulator.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function harness(profile: ProfileId): HonestHarness {
  return {
    connect: (options) => sandboxProvider({ ...options, profile }),
    startProvider: () => startProvider(profile),
    payable: () => to('0110123456789'),
    payables,
    recipientNotFound: () => to('0110120000'),
    rejected: () => to('0110120001'),
    names,
    troubles: {
      unansweredPaid: () => to('0110120002'),
      unansweredExpired: () => to('0110120003'),
      held: () => to('0110120004'),
      reversed: () => to('0110120005'),
      nameless: () => to('0110120006'),
      withoutFloat: () => to('0110120007'),
      paidTwice: () => to('0110120008'),
      anotherAmount: () => to('0110120009'),
      ...(profile === 'sandbox' && { routeLeft: () => to('0110120010') }),
    },
  };
}

for (const profile of Object.keys(PROFILES) as ProfileId[])
  describeHonestSimulator(`the adapter of ${profile}`, { describe, it }, harness(profile));
