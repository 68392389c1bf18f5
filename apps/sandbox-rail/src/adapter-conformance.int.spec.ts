import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, it } from '@jest/globals';
import { describeHonestRail, type HonestHarness, type HonestRail, type PayoutDestination, type PayoutInstruction, sandboxControl, sandboxProvider } from '@vuka/payouts';

import { type ProfileId, PROFILES } from './rail-profile.js';
import { sandboxCredential, startSandboxRail } from './sandbox-rail.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Beyond every wait between two steps. */
const A_STEP_ON_MS = 4_000;

function instruction(destination: PayoutDestination): PayoutInstruction {
  return { attemptId: randomUUID(), orderId: randomUUID(), amountMinor: 150_050n, currency: 'KES', destination };
}

function to(account_number: string): PayoutInstruction {
  return instruction({ kind: 'bank', account_number, bank_code: '01', bank_name: 'KCB Bank Kenya' });
}

/** All kinds, with a number that is paid. */
function payables(): PayoutInstruction[] {
  return [
    to('0110123456789'),
    instruction({ kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' }),
    instruction({ kind: 'paybill', shortcode: '247247', account_number: 'INV-0042' }),
    instruction({ kind: 'till', shortcode: '5123456' }),
  ];
}

async function startRail(profile: ProfileId): Promise<HonestRail> {
  const folder = await mkdtemp(join(tmpdir(), 'rail-'));
  const credential = sandboxCredential();
  let nowMs = Date.parse('2026-11-21T10:00:00.000Z');
  const rail = await startSandboxRail({ folder, credential, profile, log: silent, clock: { now: () => new Date(nowMs) } });
  const control = sandboxControl({ baseUrl: rail.baseUrl, credential });
  return {
    baseUrl: rail.baseUrl,
    credential,
    control,
    settle: () => {
      nowMs += A_STEP_ON_MS;
    },
    timesPaid: async (attemptId) => {
      const response = await fetch(`${rail.baseUrl}/v1/book`, { headers: { authorization: `Bearer ${credential}` } });
      const { entries } = (await response.json()) as { entries: { id: string; status: string }[] };
      return entries.filter(({ id, status }) => id === attemptId && status === 'PAID').length;
    },
    stop: async () => {
      await control.close();
      await rail.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function harness(profile: ProfileId): HonestHarness {
  return {
    connect: (options) => sandboxProvider({ ...options, profile }),
    startRail: () => startRail(profile),
    payable: () => to('0110123456789'),
    payables,
    recipientNotFound: () => to('0110120000'),
    rejected: () => to('0110120001'),
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

for (const profile of Object.keys(PROFILES) as ProfileId[]) describeHonestRail(`the adapter of ${profile}`, { describe, it }, harness(profile));
