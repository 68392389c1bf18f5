import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acts, reasonGiven } from '@vuka/contracts';
import { ADMIN_SERVICES } from '@vuka/data-folder';
import {
  type Actor,
  AdminHost,
  APPROVER_KEY_ID,
  assertionDoor,
  type InternalServer,
  startInternalServer,
} from '@vuka/http';
import { createLogger, Metrics, publicHalfOf, signingKeyOf, systemClock, verifyingKeyOf } from '@vuka/runtime';
import { z } from 'zod';

import { breakGlass } from './break-glass.js';
import { signerOf } from './call-admin.js';

const SEED = Buffer.alloc(32, 6).toString('base64url');
const BENS = Buffer.alloc(32, 7).toString('base64url');
const publicOf = (id: string, seed: string): string => publicHalfOf(signingKeyOf(id, Buffer.from(seed, 'base64url')));

const log = createLogger('test', { level: 'silent' });
const used: object[] = [];
const methods = {
  freeze: acts({ partnerId: z.int(), reason: reasonGiven }, async ({ by }) => ({ by })),
  approveAdjustment: acts({ adjustmentId: z.int(), reason: reasonGiven }, async ({ by }) => ({ by })),
  setReturnAddress: acts({ partnerId: z.int(), reason: reasonGiven }, async ({ by }) => ({ by })),
};

let folder: string;
let file: string;
let host: AdminHost;
let server: InternalServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-sealed-'));
  file = join(folder, 'sealed.json');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  used.length = 0;
  host = new AdminHost({
    service: 'payments',
    open: async () => ({ methods, missingMigrations: async () => [], close: async () => undefined }),
    log,
  });
  const approvers = [{ name: 'Ben Mwangi', key: verifyingKeyOf(APPROVER_KEY_ID, publicOf(APPROVER_KEY_ID, BENS)) }];
  const sealed = verifyingKeyOf('break-glass', publicOf('break-glass', SEED));
  server = await startInternalServer({
    service: 'payments',
    host: '127.0.0.1',
    port: 0,
    accept: [],
    people: assertionDoor('payments', [sealed], systemClock, { approvers, onBreakGlass: (one) => used.push(one) }),
    admins: {
      payments: {
        call: (...asked: [string, readonly unknown[], Actor, ...unknown[]]) => host.call(asked[0], asked[1], asked[2]),
      },
    },
    health: async () => ({ ready: true, services: {} }),
    metrics: new Metrics('payments'),
    log,
    clock: systemClock,
  });
  const urls = Object.fromEntries(ADMIN_SERVICES.map((name) => [name, server.baseUrl]));
  await writeFile(file, JSON.stringify({ version: 1, seed: SEED, urls }), { mode: 0o600 });
});
afterEach(() => Promise.all([host.close(), server.stop()]));

async function paymentsOf(operator: string, seed?: string) {
  const { admin, close } = await breakGlass(file, operator, signerOf(operator, seed));
  return { payments: admin.payments, close };
}

describe('the sealed key', () => {
  it('asks a service without admin, under the name of the person, and each call is told', async () => {
    const { payments, close } = await paymentsOf('Ann Otieno');
    expect(await payments.freeze({ partnerId: 7, reason: 'ticket 7', by: 'Ann Otieno' })).toEqual({ by: 'Ann Otieno' });
    expect(used).toEqual([{ operator: 'Ann Otieno', method: 'freeze' }]);
    await close();
  });

  it('moves no money by itself: an approval needs the own key of an approver, and what admin keeps is not to be had', async () => {
    const word = { adjustmentId: 7, reason: 'seen', by: 'Ben Mwangi' };
    const [ben, without, made] = await Promise.all([
      paymentsOf('Ben Mwangi', BENS),
      paymentsOf('Ben Mwangi'),
      paymentsOf('Made Up', BENS),
    ]);
    expect(await ben.payments.approveAdjustment(word)).toEqual({ by: 'Ben Mwangi' });
    await expect(without.payments.approveAdjustment(word)).rejects.toThrow('has not signed it');
    await expect(made.payments.approveAdjustment({ ...word, by: 'Made Up' })).rejects.toThrow('has not signed it');
    const address = { partnerId: 7, chain: 'CELO', address: null, reason: 'r', by: 'Ben Mwangi' };
    await expect(ben.payments.setReturnAddress(address)).rejects.toThrow('needs a second person');
    await Promise.all([ben, without, made].map(({ close }) => close()));
  });
});
