import { refuseSetting } from './refuse-setting.js';
import type { Settings } from './settings.js';

interface PrefixRule {
  readonly byDefault: (env: Settings['env']) => string;
  readonly pattern: RegExp;
  readonly rule: string;
}

/** Sandbox and live never share a name on one server, even if nobody sets a prefix. */
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

/** Of topics and groups, or of Redis keys. Throws SettingsError if `given` cannot be part of a name. */
export function prefixOf(variable: keyof typeof PREFIXES, env: Settings['env'], given?: string): string {
  const { byDefault, pattern, rule }: PrefixRule = PREFIXES[variable];
  if (given === undefined) return byDefault(env);
  return pattern.test(given) ? given : refuseSetting(variable, rule);
}
