import { randomUUID, sign } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { type Clock, publicHalfOf, type SigningKey, signingKeyOf, verifyingKeyOf } from '@vuka/runtime';

import type { Actor, Person } from './actor.js';
import { APPROVER_KEY_ID, signApproval } from './approval-signature.js';
import { assertionDoor, signAssertion } from './assertion.js';

const KEY = signingKeyOf('a2', Buffer.alloc(32, 2));
const OLD = signingKeyOf('a1', Buffer.alloc(32, 1));
const STRANGE = signingKeyOf('a2', Buffer.alloc(32, 9));
const known = [KEY, OLD].map((one) => verifyingKeyOf(one.id, publicHalfOf(one)));

const NOW = Date.parse('2026-11-28T10:00:00.000Z');
const at = (ms: number): Clock => ({ now: () => new Date(NOW + ms) });
const ANN: Actor = { name: 'Ann Otieno', role: 'money', approvedBy: null, operationId: randomUUID() };
const ASKED = { service: 'payments', method: 'freeze', args: [{ partnerId: 7, reason: 'ticket 7' }] };

const shown = (
  asked: Partial<typeof ASKED> = {},
  { key = KEY, actor = ANN }: { key?: SigningKey; actor?: Actor } = {},
): string => signAssertion(key, at(0), actor, { ...ASKED, ...asked });

const admit = (token: string, ms = 0, service = 'payments'): Promise<Person | null> =>
  assertionDoor(service, known, at(ms)).admit(`Bearer ${token}`);

/** With other claims, signed as they are. */
function forged(change: object, key = KEY): string {
  const [head = '', body = ''] = shown().split('.');
  const claims = { ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), ...change };
  const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.key).toString('base64url')}`;
}

describe('an assertion of admin', () => {
  it('says who asks for what, to one service, for a minute', async () => {
    const person = await admit(shown());
    expect(person).toMatchObject(ANN);
    expect(person?.covers('payments', 'freeze', ASKED.args)).toBe(true);
    expect([await admit(shown(), 64_000), await admit(shown(), 66_000), await admit(shown(), -6_000)]).toEqual([
      expect.objectContaining(ANN),
      null,
      null,
    ]);
  });

  it('is for this operation with these arguments alone', async () => {
    const person = await admit(shown());
    expect(person?.covers('payments', 'unfreeze', ASKED.args)).toBe(false);
    expect(person?.covers('payments', 'freeze', [{ partnerId: 8, reason: 'ticket 7' }])).toBe(false);
    expect(person?.covers('gateway', 'freeze', ASKED.args)).toBe(false);
  });

  it('opens no other service, and an old key opens while it is listed', async () => {
    expect(await admit(shown(), 0, 'offramp')).toBeNull();
    expect(await admit(shown({}, { key: OLD }))).toMatchObject(ANN);
    expect(
      await assertionDoor('payments', known.slice(0, 1), at(0)).admit(`Bearer ${shown({}, { key: OLD })}`),
    ).toBeNull();
  });

  it.each([
    ['another key', shown({}, { key: STRANGE })],
    ['no signature', shown().replace(/[^.]+$/, '')],
    ['another text than was signed', shown().replace(/\.[^.]+\./, `.${Buffer.from('{}').toString('base64url')}.`)],
    ['no end', forged({ exp: NOW })],
    ['no role', forged({ role: 'owner' })],
    ['more than it may say', forged({ more: true })],
    ['a credential', 'o'.repeat(43)],
    ['nothing', ''],
  ])('with %s is refused', async (_, token) => {
    expect(await admit(token)).toBeNull();
  });

  it('that has one person ask and approve is refused, however the name is written', async () => {
    const twice = (approvedBy: string): string => shown({}, { actor: { ...ANN, approvedBy } });
    expect(await admit(twice('Ben Mwangi'))).toMatchObject({ approvedBy: 'Ben Mwangi' });
    for (const name of ['Ann Otieno', ' ANN  otieno ', '\u0410nn Otieno']) expect(await admit(twice(name))).toBeNull();
    expect(await admit(shown({}, { actor: { ...ANN, name: null, approvedBy: 'Ben Mwangi' } }))).toBeNull();
  });
});

describe('a service that knows approvers', () => {
  const seedOf = (name: string): SigningKey => signingKeyOf(APPROVER_KEY_ID, Buffer.alloc(32, name.length));
  const approvers = ['Ann Otieno', 'Ben'].map((name) => ({
    name,
    key: verifyingKeyOf(APPROVER_KEY_ID, publicHalfOf(seedOf(name))),
  }));
  const ISSUED = { service: 'gateway', method: 'issueKey', args: [{ partnerId: 7, reason: 'r', by: 'Cyd' }] };
  const asked: Actor = { ...ANN, name: 'Cyd', approvedBy: 'Ben' };
  const agreed = { ...ISSUED, askedBy: 'Cyd', operationId: asked.operationId };
  const word = (change: Partial<typeof agreed> = {}, name = 'Ben', key = seedOf(name)): string =>
    signApproval(name, key, at(0), { ...agreed, ...change });
  const done = async (signature: string | undefined, ms = 0): Promise<boolean> => {
    const token = signAssertion(KEY, at(ms), { ...asked, signature }, ISSUED);
    const person = await assertionDoor('gateway', known, at(ms), { approvers }).admit(`Bearer ${token}`);
    return person?.covers('gateway', 'issueKey', ISSUED.args) === true;
  };

  it('takes what the second person has signed, from that person, for that request', async () => {
    expect(await done(word())).toBe(true);
    expect(await done(word(), 11 * 60_000)).toBe(false);
    for (const change of [
      { method: 'rotateKey' },
      { service: 'payments' },
      { args: [{ partnerId: 8, reason: 'r', by: 'Cyd' }] },
      { askedBy: 'Dan' },
      { operationId: randomUUID() },
    ])
      expect([change, await done(word(change))]).toEqual([change, false]);
  });

  it('takes nothing from admin alone: neither unsigned, nor signed by a key of its own, nor by another person', async () => {
    expect(await done(undefined)).toBe(false);
    expect(await done(word({}, 'Ben', STRANGE))).toBe(false);
    expect(await done(word({}, 'Ann Otieno'))).toBe(false);
    expect(await done(KEY.id)).toBe(false);
  });

  it('has a proposal approved by who signs it: two names that admin makes up move nothing', async () => {
    const approves = {
      service: 'payments',
      method: 'approveAdjustment',
      args: [{ adjustmentId: 7, reason: 'r', by: 'Ben' }],
    };
    const tried = async (name: string, signature: string | undefined): Promise<boolean> => {
      const token = signAssertion(KEY, at(0), { ...ANN, name, signature }, approves);
      const person = await assertionDoor('payments', known, at(0), { approvers }).admit(`Bearer ${token}`);
      return person?.covers('payments', 'approveAdjustment', approves.args) === true;
    };
    const signed = signApproval('Ben', seedOf('Ben'), at(0), { ...approves, askedBy: null, operationId: null });
    expect([
      await tried('Ben', signed),
      await tried('Ben', undefined),
      await tried('Made Up', signed),
      await tried('Ann Otieno', signed),
    ]).toEqual([true, false, false, false]);
  });
});

describe('the sealed key', () => {
  it('opens, is told at each use, and is on the person', async () => {
    const sealed = signingKeyOf('break-glass', Buffer.alloc(32, 8));
    const used: object[] = [];
    const keys = [...known, verifyingKeyOf('break-glass', publicHalfOf(sealed))];
    const door = assertionDoor('payments', keys, at(0), { onBreakGlass: (one) => used.push(one) });
    expect(await door.admit(`Bearer ${shown({}, { key: sealed })}`)).toMatchObject({
      name: 'Ann Otieno',
      isBreakGlass: true,
    });
    expect(await door.admit(`Bearer ${shown()}`)).not.toHaveProperty('isBreakGlass');
    expect(used).toEqual([{ operator: 'Ann Otieno', method: 'freeze' }]);
    expect(await admit(shown({}, { key: sealed }))).toBeNull();
  });

  it('does not let one person propose in the name of another, nor say that another has approved', async () => {
    const sealed = signingKeyOf('break-glass', Buffer.alloc(32, 8));
    const keys = [verifyingKeyOf('break-glass', publicHalfOf(sealed))];
    const bens = signingKeyOf(APPROVER_KEY_ID, Buffer.alloc(32, 3));
    const anns = signingKeyOf(APPROVER_KEY_ID, Buffer.alloc(32, 4));
    const approvers = [
      { name: 'Ben', key: verifyingKeyOf(APPROVER_KEY_ID, publicHalfOf(bens)) },
      { name: 'Ann Otieno', key: verifyingKeyOf(APPROVER_KEY_ID, publicHalfOf(anns)) },
    ];
    const tried = async (method: string, actor: Partial<Actor>, signer?: [string, SigningKey]): Promise<boolean> => {
      const asked = { service: 'payments', method, args: [{ partnerId: 7 }] };
      const word = actor.approvedBy === undefined ? null : ANN;
      const agreed = { ...asked, askedBy: word?.name ?? null, operationId: word?.operationId ?? null };
      const signature = signer && signApproval(signer[0], signer[1], at(0), agreed);
      const token = signAssertion(sealed, at(0), { ...ANN, ...actor, signature }, asked);
      const person = await assertionDoor('payments', keys, at(0), { approvers }).admit(`Bearer ${token}`);
      return person?.covers('payments', method, asked.args) === true;
    };
    expect([
      await tried('proposeAdjustment', {}, ['Ann Otieno', anns]),
      await tried('proposeAdjustment', {}, ['Ben', bens]),
      await tried('proposeAdjustment', {}),
      await tried('setReturnAddress', { approvedBy: 'Ben' }, ['Ben', bens]),
      await tried('freeze', {}),
    ]).toEqual([true, false, false, false, true]);
  });
});
