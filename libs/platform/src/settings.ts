import { isIP } from 'node:net';
import { resolve } from 'node:path';

import { z } from 'zod';

import { parseCrashAt, type CrashAt } from './crash-points.js';
import { SettingsError } from './errors.js';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Everything that may be set from outside, checked once at boot. */
export interface Settings {
  /** TCP port of the API; 0 = any free one. */
  readonly port: number;
  readonly host: string;
  /** Absolute path. */
  readonly dataDir: string;
  readonly env: 'sandbox' | 'live';
  /** Webhooks and other outbound calls may go to http, loopback and private networks. Never in live. */
  readonly webhookAllowPrivate: boolean;
  readonly logLevel: LogLevel;
  /** For tests, never in live: where this process kills itself (`VUKA_CRASH_AT=<point>[:<n>]`, crash-points.ts). */
  readonly crashAt?: CrashAt;
  /** For tests, never in live: events are duplicated, delayed and interleaved as this seed has it (`VUKA_TEST_WIRE_SEED`). */
  readonly testWireSeed?: number;
  /** Names of VUKA_* variables nothing here knows: probably typing errors, to be warned about. */
  readonly unknownVariables: readonly string[];
}

const isHostName = (text: string): boolean => isIP(text) !== 0 || /^(?=.{1,253}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(text);

const variables = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .catch(() => refuse('PORT', 'a whole number from 0 to 65535 (0 = any free port)'))
    .default(3000),
  HOST: z
    .string()
    .refine(isHostName)
    .catch(() => refuse('HOST', 'an IP address or a host name'))
    .default('127.0.0.1'),
  VUKA_DATA_DIR: z
    .string()
    .refine((path) => !path.includes('\0'))
    .catch(() => refuse('VUKA_DATA_DIR', 'a path'))
    .default('.vuka'),
  VUKA_ENV: z
    .enum(['sandbox', 'live'])
    .catch(() => refuse('VUKA_ENV', 'sandbox or live'))
    .default('sandbox'),
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'])
    .catch(() => refuse('WEBHOOK_ALLOW_PRIVATE', 'true or false'))
    .transform((text) => text === 'true')
    .optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .catch(() => refuse('LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent'))
    .default('info'),
  VUKA_CRASH_AT: z
    .string()
    .transform((text) => parseCrashAt(text) ?? refuse('VUKA_CRASH_AT', 'the name of a crash point, or that and :<n> with n from 1'))
    .optional(),
  VUKA_TEST_WIRE_SEED: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .refine((seed) => seed <= 4_294_967_295)
    .catch(() => refuse('VUKA_TEST_WIRE_SEED', 'a whole number from 0 to 4294967295'))
    .optional(),
});

/** What a real deployment must not be talked into. */
const FOR_TESTS = ['VUKA_CRASH_AT', 'VUKA_TEST_WIRE_SEED'] as const;

/** Reads the settings. An empty variable counts as absent. Throws SettingsError naming the variable and the rule. */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = variables.parse(given);
  if (parsed.VUKA_ENV === 'live' && parsed.WEBHOOK_ALLOW_PRIVATE === true) {
    refuse('WEBHOOK_ALLOW_PRIVATE', 'false or absent when VUKA_ENV is live');
  }
  for (const name of FOR_TESTS) {
    if (parsed.VUKA_ENV === 'live' && parsed[name] !== undefined) refuse(name, 'absent when VUKA_ENV is live: it is for tests');
  }
  return {
    port: parsed.PORT,
    host: parsed.HOST,
    dataDir: resolve(parsed.VUKA_DATA_DIR),
    env: parsed.VUKA_ENV,
    webhookAllowPrivate: parsed.WEBHOOK_ALLOW_PRIVATE ?? parsed.VUKA_ENV === 'sandbox',
    logLevel: parsed.LOG_LEVEL,
    ...(parsed.VUKA_CRASH_AT !== undefined && { crashAt: parsed.VUKA_CRASH_AT }),
    ...(parsed.VUKA_TEST_WIRE_SEED !== undefined && { testWireSeed: parsed.VUKA_TEST_WIRE_SEED }),
    unknownVariables: Object.keys(given).filter((name) => name.startsWith('VUKA_') && !(name in variables.shape)),
  };
}

function refuse(variable: string, rule: string): never {
  throw new SettingsError(`${variable} must be ${rule}`);
}
