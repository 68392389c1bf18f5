import { adminApi, type AdminCalls, type AdminMethods, ruleOf } from '@vuka/contracts';
import type { AdminFile } from '@vuka/data-folder';
import {
  ApprovalNeededError,
  APPROVER_KEY_ID,
  HttpServices,
  newCallContext,
  remoteAdmin,
  signApproval,
} from '@vuka/http';
import { createLogger, Metrics, signingKeyOf, systemClock } from '@vuka/runtime';

import type { Admin } from './admin-client.js';

const ADMIN = 'admin';
const CALL_WITHIN_MS = 60_000;
const VIEW_WITHIN_MS = 120_000;
/**
 * The ledger check reads everything. Commands on a stopped folder delay nobody, and their SQL statements have as long.
 */
const LONGEST_MS = 10 * 60_000;

export interface OpenAdmin {
  readonly admin: Admin;
  readonly close: () => Promise<void>;
}

/** Calls admin with a credential. Throws AdminRefusedError, ApprovalNeededError, ServiceUnavailableError, DeadlineExceededError. */
export function callAdmin(
  {
    url,
    credential,
    operator,
    signing_seed: seed,
  }: Pick<AdminFile, 'url' | 'credential' | 'operator' | 'signing_seed'>,
  place: Pick<Admin, 'where' | 'isRunning'>,
): OpenAdmin {
  const log = createLogger('vuka', {
    level: 'fatal',
    destination: { write: (line) => void process.stderr.write(line) },
  });
  const metrics = new Metrics('vuka');
  const http = new HttpServices({
    urls: { [ADMIN]: url },
    credentials: { [ADMIN]: credential },
    log,
    clock: systemClock,
    metrics,
  });
  const client = http.client({ ...adminApi, service: ADMIN });
  const sign = signerOf(operator, seed);
  const of = <M extends AdminMethods>(service: string): AdminCalls<M> =>
    remoteAdmin<M>(async (method, args) => {
      const context = newCallContext({ budgetMs: budgetOf(place, service, method) }, systemClock);
      const signature =
        ruleOf(service, method)?.agrees === true
          ? sign({ service, method, args, askedBy: null, operationId: null })
          : null;
      const answer = await client.admin({ service, method, args, ...(signature !== null && { signature }) }, context);
      if (answer.ok && answer.value.approval !== undefined) throw new ApprovalNeededError(answer.value.approval);
      return answer.ok ? { ok: true, value: answer.value.answer } : answer;
    });
  const admin: Admin = {
    ...place,
    sign,
    views: of(ADMIN),
    gateway: of('gateway'),
    payments: of('payments'),
    offramp: of('offramp'),
    checkout: of('checkout'),
    notifier: of('notifier'),
  };
  return { admin, close: () => http.close() };
}

/** By the person's own key; null, at each: the person has none. */
export function signerOf(operator: string | null, seed: string | undefined): Admin['sign'] {
  const key = seed === undefined ? null : signingKeyOf(APPROVER_KEY_ID, Buffer.from(seed, 'base64url'));
  return (agreed) => (key === null || operator === null ? null : signApproval(operator, key, systemClock, agreed));
}

function budgetOf({ isRunning }: Pick<Admin, 'isRunning'>, service: string, method: string): number {
  if (!isRunning) return LONGEST_MS;
  if (service !== ADMIN) return CALL_WITHIN_MS;
  return method === 'ledger' ? LONGEST_MS : VIEW_WITHIN_MS;
}
