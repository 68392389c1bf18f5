import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, it } from '@jest/globals';
import { describeHonestRail, type HonestRail, type PayoutInstruction, sandboxProvider } from '@vuka/payouts';

import { sandboxCredential, startSandboxRail } from './sandbox-rail.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function to(account_number: string): PayoutInstruction {
  const destination = { kind: 'bank', account_number, bank_code: '01', bank_name: 'KCB Bank Kenya' } as const;
  return { attemptId: randomUUID(), amountMinor: 150_050n, currency: 'KES', destination };
}

async function startRail(): Promise<HonestRail> {
  const folder = await mkdtemp(join(tmpdir(), 'rail-'));
  const credential = sandboxCredential();
  let nowMs = Date.parse('2026-11-21T10:00:00.000Z');
  const rail = await startSandboxRail({ folder, credential, log: silent, clock: { now: () => new Date(nowMs) } });
  return {
    baseUrl: rail.baseUrl,
    credential,
    settle: () => {
      nowMs += 1_000;
    },
    timesPaid: async (attemptId) => {
      const response = await fetch(`${rail.baseUrl}/v1/book`, { headers: { authorization: `Bearer ${credential}` } });
      const { entries } = (await response.json()) as { entries: { id: string; status: string }[] };
      return entries.filter(({ id, status }) => id === attemptId && status === 'PAID').length;
    },
    stop: async () => {
      await rail.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describeHonestRail('the sandbox adapter', { describe, it }, {
  connect: sandboxProvider,
  startRail,
  payable: () => to('0110123456789'),
  recipientNotFound: () => to('0110120000'),
  rejected: () => to('0110120001'),
});
