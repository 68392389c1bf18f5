import { AdminSession, until, type ApiClient, type VukaProcess } from '@vuka/testing';

import type { KeyKind } from './isolation-document.spec-support.js';

export interface ShutKeys {
  /** All get the same answer (decisions.md section 1: 401). */
  readonly unknown: readonly (readonly [why: string, key: string])[];
  readonly forbidden: readonly ForbiddenKey[];
}

/** A valid key of the owner for other operations. */
export interface ForbiddenKey {
  readonly why: 'kind' | 'scope' | 'address';
  readonly kind: KeyKind;
  /** [] has all scopes of its kind. */
  readonly scopes: readonly string[];
  readonly key: string;
}

const SCOPES: Readonly<Record<KeyKind, readonly string[]>> = {
  consumer: ['payouts', 'refunds', 'lookups', 'read', 'webhooks'],
  checkout: ['orders', 'read'],
};
/** A revoked key is refused everywhere within five seconds (documented). */
const SHUT_WITHIN_MS = 15_000;
const LIVES_MS = 5_000;
const ELSEWHERE = '10.0.0.0/8,2001:db8::/32';
const WHO = ['--reason', 'the isolation suite', '--by', 'Ann Otieno'];

interface Issued {
  readonly name: string;
  readonly key: string;
}

export async function shutKeys(
  vuka: VukaProcess,
  { owner, stranger }: { readonly owner: ApiClient; readonly stranger: ApiClient },
): Promise<ShutKeys> {
  const team = new AdminSession(vuka);
  const issue = async (kind: KeyKind, ...more: readonly string[]): Promise<Issued> => {
    const { key, issued } = await team.tell<{ key: string; issued: { visible_prefix: string } }>(
      'key-issue',
      String(owner.partner.id),
      '--kind',
      kind,
      ...more,
      ...WHO,
    );
    return { name: issued.visible_prefix, key };
  };
  const forbidden: ForbiddenKey[] = [];
  for (const kind of ['consumer', 'checkout'] as const) {
    const own = kind === 'consumer' ? owner.partner.consumer_key : owner.partner.checkout_key;
    forbidden.push({ why: 'kind', kind, scopes: [], key: own });
    forbidden.push({ why: 'address', kind, scopes: [], key: (await issue(kind, '--addresses', ELSEWHERE)).key });
    for (const scope of SCOPES[kind])
      forbidden.push({ why: 'scope', kind, scopes: [scope], key: (await issue(kind, '--scopes', scope)).key });
  }
  const [revoked, over] = [
    await issue('consumer'),
    await issue('consumer', '--expires', new Date(Date.now() + LIVES_MS).toISOString()),
  ];
  await team.tell('key-revoke', revoked.name, ...WHO);
  await team.end();
  for (const { key } of [revoked, over])
    await until(
      async () => (await owner.send({ path: '/account/detail', headers: { 'x-api-key': key } })).status === 401,
      { withinMs: SHUT_WITHIN_MS, what: 'it is shut', everyMs: 100 },
    );
  return {
    unknown: [
      ...spoilt(owner.partner.consumer_key, stranger.partner.consumer_key),
      ['revoked', revoked.key],
      ['over', over.key],
    ],
    forbidden,
  };
}

function spoilt(good: string, other: string): [string, string][] {
  const parts = (key: string): readonly string[] => /^(vk_test_consumer_[^_]+_)(.+)$/.exec(key) ?? [];
  const [, name = '', secret = ''] = parts(good);
  const [, , otherSecret = ''] = parts(other);
  return [
    ['missing', ''],
    ['malformed', 'vk_test_consumer'],
    ['malformed, without end', `${good}${'A'.repeat(4_000)}`],
    ['of the other environment', good.replace('vk_test_', 'vk_live_')],
    ['of a kind that there is none of', good.replace('_consumer_', '_admin_')],
    ['of another kind by its name', good.replace('_consumer_', '_checkout_')],
    ["with somebody else's secret", name + otherSecret],
    ['that nobody has', good.replace(/^(vk_test_consumer_)[^_]+/, '$1nobody1')],
    ['in other letters', name + (secret === secret.toLowerCase() ? secret.toUpperCase() : secret.toLowerCase())],
    ['but for its last letter', good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A')],
  ];
}
