import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

import { SettingsError } from '@vuka/runtime';

import { plainAddress } from '../address-ranges.js';
import type { Settings } from '../settings.js';
import { LIVE_RISKS, type MachineFacts, type RiskFacts } from './live-risks.js';
import { RISK_NAMES, type RiskName } from './risk-names.js';

export interface AcceptedRisk {
  readonly name: RiskName;
  readonly says: string;
}

/** Of the program `who`: a service, or `standalone`, which has the settings of all. */
export function risksIn(facts: RiskFacts, who: string): AcceptedRisk[] {
  return RISK_NAMES.flatMap((name) => {
    const risk = LIVE_RISKS[name];
    const { services, says } = risk;
    const concerns = who === 'standalone' || services === 'all' || services.includes(who);
    return concerns && risk.isUnsafe(facts) ? [{ name, says }] : [];
  });
}

/** Those in force, to be logged at each start. [] in the sandbox. Throws SettingsError for one that is not accepted. */
export function refuseUnsafe(
  { env, acceptedRisks }: Pick<Settings, 'env' | 'acceptedRisks'>,
  facts: RiskFacts,
  who: string,
): readonly AcceptedRisk[] {
  if (env !== 'live') return [];
  const risks = risksIn(facts, who);
  const refused = risks.filter(({ name }) => !acceptedRisks.includes(name));
  if (refused.length === 0) return risks;
  const lines = refused.map(({ name, says }) => `\n  - ${name}: ${says}`);
  throw new SettingsError(
    `VUKA_ENV is live, which refuses what is unsafe:${lines.join('')}\n  Whoever takes a risk on writes its name into VUKA_ACCEPT_RISK (docs/operators/going-live-risks.md).`,
  );
}

export function machineFacts(env: NodeJS.ProcessEnv): MachineFacts {
  return { uid: process.getuid?.(), checksCertificates: env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' };
}

/** Of a wildcard, those of this machine. [] for a name that nobody knows: listening there fails anyway. */
export async function listeningAddresses(host: string): Promise<string[]> {
  const wildcard = plainAddress(host);
  if (wildcard === '0.0.0.0' || wildcard === '::') {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    return own
      .filter(({ family }) => wildcard === '::' || family === 'IPv4')
      .flatMap(({ address }) => plainAddress(address) ?? []);
  }
  if (isIP(host) !== 0) return [host];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
