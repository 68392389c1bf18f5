import { randomUUID } from 'node:crypto';

import { adminApi, type AdminCalls, type AdminMethods } from '@vuka/contracts';
import { ADMIN_SERVICES, type AdminServiceName } from '@vuka/data-folder';
import { readPrivateJson, refuseSetting } from '@vuka/config';
import {
  type Actor,
  HttpServices,
  newCallContext,
  remoteAdmin,
  runTaggedMethod,
  signAssertion,
  signsItself,
} from '@vuka/http';
import { createLogger, Metrics, signingKeyOf, systemClock } from '@vuka/runtime';
import { z } from 'zod';

import type { Admin } from './admin-client.js';
import type { OpenAdmin } from './call-admin.js';

const OPTION = '--break-glass';
const CALL_WITHIN_MS = 60_000;

const url = z.url({ protocol: /^https?$/ });
const sealedFile = z.object({
  version: z.literal(1),
  /** Services know its public half as `break-glass` in admin_keys. */
  seed: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  urls: z.object(Object.fromEntries(ADMIN_SERVICES.map((name) => [name, url])) as Record<AdminServiceName, typeof url>),
});

/**
 * For when admin is down: each service is asked by itself, with the sealed key and the person's own. Every call is an
 * alarm there. What admin alone keeps (approvals, people) is not to be had. Throws SettingsError.
 */
export async function breakGlass(path: string, operator: string, sign: Admin['sign']): Promise<OpenAdmin> {
  const parsed = sealedFile.safeParse(await readPrivateJson(OPTION, path));
  if (!parsed.success)
    return refuseSetting(OPTION, `a valid sealed file: ${path} is none (docs/operators/operators.md)`);
  const signing = signingKeyOf('break-glass', Buffer.from(parsed.data.seed, 'base64url'));
  const log = createLogger('vuka', { level: 'silent' });
  const http = new HttpServices({
    urls: parsed.data.urls,
    // Each call shows an assertion; nothing is presented without one.
    credentials: Object.fromEntries(Object.keys(parsed.data.urls).map((service) => [service, 'none'])),
    log,
    clock: systemClock,
    metrics: new Metrics('vuka'),
  });
  const actorFor = (service: string, method: string, args: readonly unknown[]): Actor => ({
    name: operator,
    role: 'money',
    approvedBy: null,
    operationId: randomUUID(),
    signature:
      (signsItself(service, method) && sign({ service, method, args, askedBy: null, operationId: null })) || undefined,
  });
  const of = <M extends AdminMethods>(service: AdminServiceName): AdminCalls<M> => {
    const client = http.client({ ...adminApi, service });
    return remoteAdmin<M>(async (method, args) => {
      const shown = signAssertion(signing, systemClock, actorFor(service, method, args), { service, method, args });
      const context = newCallContext({ budgetMs: CALL_WITHIN_MS }, systemClock);
      const answer = await client.admin({ service, method, args }, { ...context, credential: shown });
      return answer.ok ? { ok: true, value: answer.value.answer } : answer;
    });
  };
  const services = {
    gateway: of('gateway'),
    payments: of('payments'),
    offramp: of('offramp'),
    checkout: of('checkout'),
    notifier: of('notifier'),
  } as Pick<Admin, AdminServiceName>;
  const { AdminViews, viewMethods } = await import('@vuka/admin/views');
  const views = viewMethods(new AdminViews(services, true, { acts: async () => [] }));
  const admin: Admin = {
    ...services,
    views: remoteAdmin<typeof views>((method, args) =>
      runTaggedMethod(views, method, args, actorFor('admin', method, args)),
    ) as Admin['views'],
    sign,
    where: path,
    isRunning: true,
  };
  return { admin, close: () => http.close() };
}
