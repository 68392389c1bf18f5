import { refuseSetting } from './refuse-setting.js';
import type { Settings } from './settings.js';

interface PrefixRule {
  readonly byDefault: (env: Settings['env']) => string;
  readonly pattern: RegExp;
  readonly rule: string;
}

/** Of what several deployments may keep on one server. Play money and real money share no name, whoever forgets to set one. */
const PREFIXES = {
  VUKA_KAFKA_PREFIX: {
    byDefault: (env) => `${env}.`,
    pattern: /^[A-Za-z0-9._-]{1,100}$/,
    rule: 'at most 100 of A-Z, a-z, 0-9, dot, underscore and hyphen',
  },
  VUKA_REDIS_PREFIX: {
    byDefault: (env) => `vuka:${env}:`,
    pattern: /^[A-Za-z0-9._:-]{1,100}$/,
    rule: 'at most 100 of A-Z, a-z, 0-9, dot, underscore, colon and hyphen',
  },
} as const satisfies Record<string, PrefixRule>;

/**
 * What stands before the names of topics and groups, or before every key of Redis: `given`, else that of the environment. One
 * function for services and for whoever sets servers up for them. Throws SettingsError where `given` is no part of such a name.
 */
export function prefixOf(variable: keyof typeof PREFIXES, env: Settings['env'], given?: string): string {
  const { byDefault, pattern, rule }: PrefixRule = PREFIXES[variable];
  if (given === undefined) return byDefault(env);
  return pattern.test(given) ? given : refuseSetting(variable, rule);
}
