import { isIP } from 'node:net';

import { fail, ok, type Result } from '@vuka/domain';
import { z } from 'zod';

import type { ProviderRow } from '../provider-factory.js';
import { factoryOf, PROVIDER_IDS, type ProviderId } from '../providers/index.js';
import { faultAt, type Path } from './fault.js';

export interface ConfiguredProvider extends ProviderRow {
  readonly id: ProviderId;
}

export interface ProvidersFileRules {
  readonly env: 'sandbox' | 'live';
  /** Ids that live takes although they do not say that they accept money that came as stablecoin. */
  readonly allowStablecoinFundsAt: readonly string[];
  /** Also in live. Default false. */
  readonly allowHttp?: boolean;
}

/** The id says by which rules the rest is read. */
export const anyProviderRow = z.looseObject({ id: z.enum(PROVIDER_IDS as [ProviderId, ...ProviderId[]]) });

export function readProviderRow(
  row: z.output<typeof anyProviderRow>,
  path: Path,
): Result<ConfiguredProvider, readonly string[]> {
  const parsed = factoryOf(row.id).row.safeParse(row);
  return parsed.success
    ? ok({ ...parsed.data, id: row.id })
    : fail(parsed.error.issues.map((issue) => faultAt([...path, ...issue.path], issue.message)));
}

type Rule = readonly [member: keyof ProviderRow, isBroken: boolean, rule: string];

export function providerFaults(rows: readonly ConfiguredProvider[], rules: ProvidersFileRules): string[] {
  const { env, allowStablecoinFundsAt: allowed, allowHttp = false } = rules;
  const strangers = allowed.filter((id) => !rows.some((row) => row.id === id));
  return [
    ...rows.flatMap((row, place) => {
      const isTwice = rows.findIndex(({ id }) => id === row.id) < place;
      const all: Rule[] = [
        ['id', isTwice, `${row.id} has a row above`],
        ...(env === 'live' ? liveRules(row, { allowed, allowHttp }) : sandboxRules(row)),
      ];
      return all.flatMap(([member, isBroken, rule]) => (isBroken ? [faultAt(['providers', place, member], rule)] : []));
    }),
    ...strangers.map((id) => faultAt(['providers'], `none is ${id}, which VUKA_ALLOW_STABLECOIN_FUNDS_AT names`)),
  ];
}

function liveRules(
  { id, base_url, accepts_stablecoin_funds: accepts, refund_safe_after_ms: waits }: ConfiguredProvider,
  { allowed, allowHttp }: { readonly allowed: readonly string[]; readonly allowHttp: boolean },
): Rule[] {
  const { isPlayMoney, testHosts } = factoryOf(id);
  const { protocol, hostname } = new URL(base_url);
  const isUnpermitted = (accepts === 'no' || accepts === 'unknown') && !allowed.includes(id);
  return [
    ['id', isPlayMoney, `${id} pays with play money, which live refuses`],
    ['base_url', protocol !== 'https:' && !allowHttp, 'must be https in live'],
    ['base_url', testHosts.includes(hostname), 'is a test system, which pays nobody: live refuses it'],
    [
      'refund_safe_after_ms',
      waits === 0,
      'is 0: live refuses to send value back before the provider cannot pay any more',
    ],
    [
      'accepts_stablecoin_funds',
      isUnpermitted,
      `is ${accepts}: live refuses ${id} unless VUKA_ALLOW_STABLECOIN_FUNDS_AT names it`,
    ],
  ];
}

/** Partners of a sandbox have money that nobody gave. */
function sandboxRules({ id, base_url }: ConfiguredProvider): Rule[] {
  const { isPlayMoney, testHosts, testCredential } = factoryOf(id);
  const { hostname } = new URL(base_url);
  // Where the credential says it, connectProviders looks.
  const mayPay = !isPlayMoney && testCredential === undefined && !testHosts.includes(hostname) && !isOurs(hostname);
  return [
    ['base_url', mayPay, `may pay real money: the sandbox takes ${[...testHosts, 'a simulator of ours'].join(' or ')}`],
  ];
}

/** This machine, or a name that only an inner network knows. */
export function isOurs(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? !host.includes('.') : host === '::1' || host.startsWith('127.');
}
