import { randomUUID, sign } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { type Clock, publicHalfOf, type SigningKey, signingKeyOf, verifyingKeyOf } from '@vuka/runtime';

import type { Actor, Person } from './actor.js';
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
