import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { acts, adminApi, reads, reasonGiven, type AdminCalls } from '@vuka/contracts';
import { ADMIN_SERVICES } from '@vuka/data-folder';
import {
  type Actor,
  type Admins,
  assertionDoor,
  credentialHash,
  HttpServices,
  type InternalServer,
  newCallContext,
  operatorDoor,
  type PeopleDoor,
  remoteAdmin,
  runTaggedMethod,
  startInternalServer,
} from '@vuka/http';
import { type Logger, Metrics, publicHalfOf, signingKeyOf, systemClock, verifyingKeyOf } from '@vuka/runtime';
import { z } from 'zod';

import { gatheredOperations } from './gathered-operations.js';
import type { People } from './people/people.js';
import { remoteOperations } from './remote-operations.js';
import { forEachService } from './service-calls.js';

const nothing = (): void => undefined;
const log = { error: nothing, warn: nothing, info: nothing, debug: nothing } as unknown as Logger;
const credentialOf = (who: string): string => `the-credential-of-${who}-`.padEnd(40, '0');
const SIGNING = signingKeyOf('a1', Buffer.alloc(32, 3));
const ADMIN = verifyingKeyOf('a1', publicHalfOf(SIGNING));
const ANN = { name: 'Ann Otieno', credential: credentialOf('ann') };

const methods = {
  deadLetters: reads([z.int()], async () => []),
  freeze: acts({ partnerId: z.int(), reason: reasonGiven }, async (act) => act),
};

let services: InternalServer;
let admin: InternalServer;
let toServices: HttpServices;
const clients: HttpServices[] = [];

const serve = (service: string, people: PeopleDoor, admins: Admins): Promise<InternalServer> =>
  startInternalServer({
    service,
    host: '127.0.0.1',
    port: 0,
    accept: [{ caller: 'gateway', credentialSha256: credentialHash(credentialOf('gateway')) }],
    people,
    admins,
    health: async () => ({ ready: true, services: {} }),
    metrics: new Metrics(service),
    log,
    clock: systemClock,
  });

function httpTo(urls: Readonly<Record<string, string>>, credential: string): HttpServices {
  const credentials = Object.fromEntries(Object.keys(urls).map((service) => [service, credential]));
  const http = new HttpServices({ urls, credentials, log, clock: systemClock, metrics: new Metrics('test') });
  clients.push(http);
  return http;
}

beforeEach(async () => {
  const operations = forEachService(() => ({
    call: (name: string, args: readonly unknown[], actor: Actor) => runTaggedMethod(methods, name, args, actor),
  }));
  services = await serve('payments', assertionDoor('payments', [ADMIN], systemClock), operations);
  toServices = httpTo(
    Object.fromEntries(ADMIN_SERVICES.map((name) => [name, services.baseUrl])),
    credentialOf('gateway'),
  );
  const gathered = forEachService((service) =>
    remoteOperations(service, toServices.client({ ...adminApi, service }), SIGNING, systemClock),
  );
  const ann = { name: ANN.name, role: 'admin' as const, credentialSha256: credentialHash(ANN.credential) };
  admin = await serve(
    'admin',
    operatorDoor(async () => [ann]),
    gatheredOperations(gathered, { people: {} as People, isRunning: true }),
  );
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((http) => http.close()));
  await Promise.all([admin.stop(), services.stop()]);
});

function askedBy({ credential }: { readonly credential: string }, service = 'payments'): AdminCalls<typeof methods> {
  const { admin: calls } = httpTo({ admin: admin.baseUrl }, credential).client({ ...adminApi, service: 'admin' });
  return remoteAdmin<typeof methods>(async (method, args) => {
    const answer = await calls({ service, method, args }, newCallContext({}, systemClock));
    return answer.ok ? { ok: true, value: answer.value.answer } : answer;
  });
}

const refused = (code: string, message: RegExp): unknown =>
  expect.objectContaining({ name: 'AdminRefusedError', problem: { code, message: expect.stringMatching(message) } });

describe('admin between operators and services', () => {
  it('asserts to a service who asks, whose name goes on the record there', async () => {
    const act = { partnerId: 7, reason: 'ticket 7', by: undefined as unknown as string };
    expect(await askedBy(ANN).freeze(act)).toEqual({ partnerId: 7, reason: 'ticket 7', by: 'Ann Otieno' });
    await expect(askedBy(ANN).freeze({ ...act, by: 'Ben Mwangi' })).rejects.toEqual(refused('forbidden', /--by/));
  });

  it('is believed only where it signs: a credential of a service, of another service or of nobody opens nothing', async () => {
    const { admin } = toServices.client({ ...adminApi, service: 'payments' });
    const asked = admin({ service: 'payments', method: 'deadLetters', args: [1] }, newCallContext({}, systemClock));
    await expect(asked).rejects.toThrow('only people may call the admin API, by admin');
    await expect(askedBy(ANN, 'notifier').deadLetters(1)).rejects.toEqual(
      refused('service_unavailable', /^notifier: .*credential/),
    );
    await expect(askedBy({ credential: credentialOf('nobody') }).deadLetters(1)).rejects.toThrow(/credential/);
  });

  it('says that nothing was done if a service was not reached, and answers for the others', async () => {
    await services.stop();
    await expect(askedBy(ANN).deadLetters(1)).rejects.toEqual(
      refused('service_unavailable', /^payments: no connection/),
    );
    const views = askedBy(ANN, 'admin') as unknown as { deadLetters(): Promise<{ notAsked: readonly string[] }> };
    expect((await views.deadLetters()).notAsked).toHaveLength(ADMIN_SERVICES.length);
  });

  it('knows only services with a database, and only operations that they have', async () => {
    await expect(askedBy(ANN, 'validation').deadLetters(1)).rejects.toEqual(refused('not_found', /validation/));
    const other = askedBy(ANN) as unknown as { open(): Promise<unknown> };
    await expect(other.open()).rejects.toEqual(refused('not_found', /open/));
  });
});
