import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { acts, adminApi, operation, reads, reasonGiven, type AdminCalls, type InternalApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { type Logger, Metrics, ServiceUnavailableError, systemClock } from '@vuka/runtime';
import { until } from '@vuka/testing';
import { z } from 'zod';

import { newCallContext } from '../internal/call-context.js';
import { HttpServices } from '../internal/http-services.js';
import { credentialHash } from '../internal/server/accepted-callers.js';
import { startInternalServer, type InternalServer } from '../internal/server/internal-server.js';
import { AdminRefusedError, remoteAdmin } from './admin-calls.js';
import { AdminHost } from './admin-host.js';
import { operatorDoor } from './operator-door.js';

const logged: string[] = [];
const line = (...words: unknown[]): void => void logged.push(JSON.stringify(words));
const log = { error: line, warn: line, info: line, debug: line } as unknown as Logger;

const credentialOf = (who: string): string => `the-credential-of-${who}-`.padEnd(40, '0');
const WHEN = new Date('2026-11-22T10:00:00.000Z');

const methods = {
  codesOf: reads(
    [z.array(z.int())],
    async (ids) => new Map(ids.map((id) => [id, { at: WHEN, minor: 10n ** 30n, left: undefined }])),
  ),
  long: reads([z.int()], async (length) => 'x'.repeat(length)),
  broken: reads([], async () => Promise.reject(new Error('the database said vk_test_consumer_a_secret'))),
  freeze: acts({ partnerId: z.int().positive(), reason: reasonGiven }, async (act) => ok(act)),
};

const servicesApi = {
  service: 'payments',
  operations: {
    ping: operation(z.object({}), z.object({ pong: z.boolean() }), {
      summary: 'Of a test',
      errors: {},
      callers: ['gateway'],
      idempotent: true,
    }),
  },
} as const satisfies InternalApi;

let server: InternalServer;
let host: AdminHost;
let opened = 0;
const clients: HttpServices[] = [];

beforeEach(async () => {
  opened = 0;
  logged.length = 0;
  host = new AdminHost({
    service: 'payments',
    open: async () => (
      (opened += 1),
      { methods, missingMigrations: async () => [], close: async () => void (opened -= 1) }
    ),
    log,
    idleMs: 20,
  });
  server = await startInternalServer({
    service: 'payments',
    host: '127.0.0.1',
    port: 0,
    api: servicesApi,
    handlers: { ping: async () => ok({ pong: true }) },
    admins: { payments: host },
    accept: [{ caller: 'gateway', credentialSha256: credentialHash(credentialOf('gateway')) }],
    people: operatorDoor(async () => [
      { name: 'Ann Otieno', role: 'admin', credentialSha256: credentialHash(credentialOf('ann')) },
      { name: null, role: 'admin', credentialSha256: credentialHash(credentialOf('folder')) },
    ]),
    health: async () => ({ ready: true, services: {} }),
    metrics: new Metrics('payments'),
    log,
    clock: systemClock,
  });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await server.stop();
  await host.close();
  expect(opened).toBe(0);
});

function clientOf(who: string): HttpServices {
  const client = new HttpServices({
    urls: { admin: server.baseUrl, payments: server.baseUrl },
    credentials: { admin: credentialOf(who), payments: credentialOf(who) },
    log,
    clock: systemClock,
    metrics: new Metrics('admin'),
  });
  clients.push(client);
  return client;
}

function adminOf(who: string, service = 'payments'): AdminCalls<typeof methods> {
  const { admin } = clientOf(who).client(adminApi);
  return remoteAdmin<typeof methods>(async (method, args) => {
    const answer = await admin({ service, method, args }, newCallContext({}, systemClock));
    return answer.ok ? ok(answer.value.answer) : answer;
  });
}

const refused = (code: string): unknown =>
  expect.objectContaining({ name: 'AdminRefusedError', problem: expect.objectContaining({ code }) });

describe('people at an admin API', () => {
  it('get the results of its methods, with their types', async () => {
    expect(await adminOf('ann').codesOf([7])).toEqual(new Map([[7, { at: WHEN, minor: 10n ** 30n, left: undefined }]]));
  });

  it('may call only the admin API, and services may call everything except it, in any spelling of the path', async () => {
    await expect(clientOf('ann').client(servicesApi).ping({}, newCallContext({}, systemClock))).rejects.toThrow(
      'the service refuses our credential',
    );
    await expect(adminOf('gateway').codesOf([7])).rejects.toThrow('only people may call the admin API, by admin');
    expect(await clientOf('gateway').client(servicesApi).ping({}, newCallContext({}, systemClock))).toEqual(
      ok({ pong: true }),
    );
    for (const path of ['admin', 'd%65sk', 'admin/', 'admin?', 'ADMIN']) {
      const answer = await fetch(`${server.baseUrl}/internal/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${credentialOf('gateway')}`,
          'content-type': 'application/json',
          'x-vuka-deadline-ms': '1000',
        },
        body: JSON.stringify({ service: 'payments', method: 'codesOf', args: [[7]] }),
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      await answer.body?.cancel();
    }
    expect(opened).toBe(0);
    await expect(adminOf('nobody').codesOf([7])).rejects.toBeInstanceOf(ServiceUnavailableError);
  });

  it('with their own credential act only under its name', async () => {
    const ann = adminOf('ann');
    const act = { partnerId: 7, reason: 'ticket 7' };
    expect(await ann.freeze({ ...act, by: undefined as unknown as string })).toEqual(ok({ ...act, by: 'Ann Otieno' }));
    expect(await ann.freeze({ ...act, by: ' ANN  otieno ' })).toEqual(ok({ ...act, by: 'Ann Otieno' }));
    await expect(ann.freeze({ ...act, by: 'Ben Mwangi' })).rejects.toEqual(refused('forbidden'));
    expect(await adminOf('folder').freeze({ ...act, by: 'Ben Mwangi' })).toEqual(ok({ ...act, by: 'Ben Mwangi' }));
    await expect(adminOf('folder').freeze({ ...act, by: undefined as unknown as string })).rejects.toEqual(
      refused('invalid_request'),
    );
  });

  it('are told what is wrong with what they ask, and reach nothing that is not in the record', async () => {
    const ann = adminOf('ann');
    await expect(ann.freeze({ partnerId: 0, reason: 'r', by: 'Ann Otieno' })).rejects.toBeInstanceOf(AdminRefusedError);
    await expect(ann.codesOf(['7'] as unknown as number[])).rejects.toEqual(refused('invalid_request'));
    for (const name of ['constructor', 'toString', '__proto__', 'open'])
      await expect((ann as unknown as Record<string, () => Promise<unknown>>)[name]?.()).rejects.toEqual(
        refused('not_found'),
      );
    await expect(adminOf('ann', 'notifier').codesOf([7])).rejects.toEqual(refused('not_found'));
  });

  it('get no answer that is longer than they take, and ask with nothing that is longer than it takes', async () => {
    const ann = adminOf('ann');
    expect(await ann.long(1_000_000)).toHaveLength(1_000_000);
    await expect(ann.long(5_000_000)).rejects.toEqual(refused('invalid_request'));
    await expect(ann.freeze({ partnerId: 7, reason: 'x'.repeat(5_000_000), by: 'Ann Otieno' })).rejects.toThrow();
    expect(await ann.long(1)).toBe('x');
  });

  it('leave no input in the log, and get no internal error text', async () => {
    const ann = adminOf('ann');
    await ann.freeze({ partnerId: 7, reason: 'a reason of theirs', by: 'Ann Otieno' });
    await expect(ann.broken()).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
    expect(logged.filter((text) => text.includes('freeze') && text.includes('Ann Otieno'))).toHaveLength(1);
    expect(logged.filter((text) => text.includes('a reason of theirs'))).toEqual([]);
  });

  it('have the admin API opened when they ask, and closed when nobody does', async () => {
    expect(opened).toBe(0);
    await adminOf('ann').long(1);
    await until(() => opened === 0, { what: 'it is closed again', withinMs: 10_000 });
    expect(await adminOf('ann').long(1)).toBe('x');
  });
});
