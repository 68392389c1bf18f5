import { describe, expect, it } from '@jest/globals';
import { ADMIN_RULES, type AdminRule } from '@vuka/contracts';

import type { ServiceCalls } from '../service-calls.js';
import type { ViewMethods } from '../views/view-methods.js';
import type { PeopleMethods } from './people-methods.js';

type Calls = ServiceCalls & { readonly admin: ViewMethods & PeopleMethods };
/** The compiler walks every operation: without its row this file does not compile, nor with one too many. */
type Rules = { readonly [S in keyof Calls]: { readonly [M in keyof Calls[S]]: AdminRule } };
type LeftOver = { readonly [S in keyof Calls]: Exclude<keyof (typeof ADMIN_RULES)[S], keyof Calls[S]> };

const rules: Rules = ADMIN_RULES;
const leftOver = { gateway: [], payments: [], offramp: [], checkout: [], notifier: [], admin: [] } as {
  readonly [S in keyof LeftOver]: LeftOver[S][];
};
const none: Readonly<Record<keyof Calls, never[]>> = leftOver;

/** What the plan wants two for. */
const BY_TWO = [
  'gateway.issueKey',
  'gateway.rotateKey',
  'gateway.setTerms',
  'payments.setReturnAddress',
  'offramp.clearRefund',
  'offramp.settleRefund',
  'notifier.rotateSecret',
  'admin.makeOperator',
  'admin.changeRole',
  'admin.recoverOperator',
];

describe('the rules of admin operations', () => {
  it('need two people for keys, secrets, terms, return addresses, stopped refunds and people', () => {
    const all = Object.entries(rules).flatMap(([service, methods]) =>
      Object.entries<AdminRule>(methods).map(([method, rule]) => ({ name: `${service}.${method}`, ...rule })),
    );
    expect(all.filter(({ approvals }) => approvals === 1).map(({ name }) => name)).toEqual(BY_TWO);
    expect(
      all.filter(({ approvals, least }) => approvals === 1 && (least === 'viewer' || least === 'support')),
    ).toEqual([]);
    expect(Object.values(none).flat()).toEqual([]);
  });
});
