import { type EmbeddedSettings, loadSettings } from '@vuka/config';
import { SERVICE_NAMES, type ServiceName } from '@vuka/contracts';
import { type Environment, isServiceName, stackFolder } from '@vuka/data-folder';
import { SettingsError } from '@vuka/runtime';

export const MOST_INSTANCES = 8;

const PASSED_ON =
  /^(RATE_LIMIT_\w+|MOST_WAITING_PAYS|MOST_OPEN_ORDERS(_USD)?|MOST_OPEN_QUOTES_USD|MOST_ORDERS_A_DAY|CHECKOUT_\w+|PUBLIC_URL|TRUSTED_PROXIES|LOG_LEVEL|WEBHOOK_\w+|VUKA_TEST_\w+|VUKA_CRASH_AT|CHAIN_RPC_\w+|DEPOSIT_XPUB|SOLANA_ADDRESSES_FILE|STELLAR_ACCOUNT|REFUND_WALLET_\w+|SANDBOX_REFUND_KEYS_FILE|SCREENING_FILE|OWN_ADDRESSES_FILE|UNAPPLIED_POLICY|EXPOSURE_LIMIT_USD|RATES?_\w+)$/;
const OWN = /^VUKA_STACK_/;
const ENV_OF_SERVICE = 'VUKA_STACK_ENV_';

export interface StackSettings {
  readonly folder: string;
  readonly settings: EmbeddedSettings;
  /** null: the last one, or any free port. */
  readonly apiPort: number | null;
  /** `host:port` of an existing broker; null: the stack runs its own Kafka. */
  readonly kafka: string | null;
  readonly instances: number;
  /** false: dead processes stay dead (for tests). */
  readonly restarts: boolean;
  readonly passedOn: Environment;
  /** For one service; overrides the rest. */
  readonly serviceEnv: Readonly<Partial<Record<ServiceName, Environment>>>;
}

/** Throws SettingsError naming the variable and the rule. */
export function loadStackSettings(env: NodeJS.ProcessEnv): StackSettings {
  const folder = stackFolder(env);
  const plain = Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.test(name)));
  const settings = loadSettings({ ...plain, VUKA_DATA_DIR: folder });
  if (settings.env !== 'sandbox')
    throw new SettingsError(
      'VUKA_ENV must be sandbox or left out: a stack on one machine has only play money (docs/operators/going-live.md describes live)',
    );
  const passedOn = Object.entries(env).filter(
    (entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined && entry[1] !== '',
  );
  return {
    folder,
    settings: { ...settings, unknownVariables: [...settings.unknownVariables, ...unknownOwn(env)] },
    apiPort: given(env, 'PORT') === undefined ? null : settings.port,
    kafka: brokerAddress(given(env, 'VUKA_STACK_KAFKA')),
    instances: instanceCount(given(env, 'VUKA_STACK_INSTANCES')),
    restarts: restartRule(given(env, 'VUKA_STACK_RESTART')),
    passedOn: {
      VUKA_ENV: settings.env,
      ...Object.fromEntries(passedOn),
      ...(settings.termsFile !== undefined && { VUKA_TERMS_FILE: settings.termsFile }),
    },
    serviceEnv: Object.fromEntries(SERVICE_NAMES.flatMap((name) => envOf(name, env))),
  };
}

export function parseInstances(text: string): number | undefined {
  return /^[1-9]\d*$/.test(text) && Number(text) <= MOST_INSTANCES ? Number(text) : undefined;
}

function given(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

function brokerAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  const port = Number(/^[A-Za-z0-9.-]+:(\d{1,5})$/.exec(text)?.[1] ?? 0);
  if (port < 1 || port > 65_535) throw new SettingsError('VUKA_STACK_KAFKA must be host:port of a running broker');
  return text;
}

function instanceCount(text = '1'): number {
  const count = parseInstances(text);
  if (count === undefined)
    throw new SettingsError(`VUKA_STACK_INSTANCES must be a whole number from 1 to ${MOST_INSTANCES}`);
  return count;
}

function restartRule(text = 'always'): boolean {
  if (text !== 'always' && text !== 'never') throw new SettingsError('VUKA_STACK_RESTART must be always or never');
  return text === 'always';
}

function envOf(service: ServiceName, env: NodeJS.ProcessEnv): [ServiceName, Environment][] {
  const variable = ENV_OF_SERVICE + service.toUpperCase();
  const text = given(env, variable);
  if (text === undefined) return [];
  const parsed = parseJson(text);
  const isMap =
    typeof parsed === 'object' &&
    parsed !== null &&
    !Array.isArray(parsed) &&
    Object.values(parsed).every((value) => typeof value === 'string');
  if (!isMap) throw new SettingsError(`${variable} must be a JSON object of texts, such as {"LOG_LEVEL":"debug"}`);
  return [[service, parsed as Environment]];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const OWN_NAMES = new Set(['VUKA_STACK_DIR', 'VUKA_STACK_KAFKA', 'VUKA_STACK_INSTANCES', 'VUKA_STACK_RESTART']);

function unknownOwn(env: NodeJS.ProcessEnv): string[] {
  const isKnown = (name: string): boolean =>
    OWN_NAMES.has(name) ||
    (name.startsWith(ENV_OF_SERVICE) && isServiceName(name.slice(ENV_OF_SERVICE.length).toLowerCase()));
  return Object.keys(env).filter((name) => OWN.test(name) && !isKnown(name) && env[name] !== '');
}
