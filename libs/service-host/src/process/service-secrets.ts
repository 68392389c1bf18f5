import {
  type ChainSecrets,
  checkedEndpoints,
  isReadableChain,
  ratesUrlOf,
  readPrivateJson,
  refuseSetting,
} from '@vuka/config';
import { eventPairsOf, ROLES, SERVICES, type ServiceName, type ServiceNeeds } from '@vuka/contracts';
import { type AcceptedCaller, APPROVER_KEY_ID, type Approver, type KnownOperator } from '@vuka/http';
import type { EventKeys } from '@vuka/messaging';
import type { ProviderSecret } from '@vuka/payouts';
import { type CipherKey, type SigningKey, signingKeyOf, type VerifyingKey, verifyingKeyOf } from '@vuka/runtime';
import { z } from 'zod';

import type { KeyPeppers } from '../service-context.js';

const VARIABLE = 'VUKA_SECRETS_FILE';
const FEWEST_APPROVERS = 2;

/** null: not needed by this service. */
export interface ServiceSecrets {
  readonly databasePassword: string | null;
  /** The first one encrypts, all decrypt. */
  readonly cipherKeys: readonly CipherKey[];
  /** Say whether texts are equal, and open nothing. */
  readonly indexKeys: readonly CipherKey[];
  /** Those of gateway, payments, checkout and notifier are the same. */
  readonly webhookKeys: readonly CipherKey[];
  /** What it shows to each service that it calls, by name. */
  readonly presents: Readonly<Record<string, string>>;
  readonly accepts: readonly AcceptedCaller[];
  /** Admin only: people whom it knows from the beginning. */
  readonly operators: readonly KnownOperator[];
  /** Admin only: signs what services are asked for people. */
  readonly assertionKey: SigningKey | null;
  /** Of services with an admin API: what admin signs with. Two while it is changed. */
  readonly adminKeys: readonly VerifyingKey[];
  /** Of services with an admin API: people whose own signature approves. */
  readonly approvers: readonly Approver[];
  readonly keyPeppers: KeyPeppers;
  readonly kafkaPassword: string | null;
  /** Of each pair of producer and reader that this service is one of. */
  readonly eventKeys: EventKeys;
  readonly redisPassword: string | null;
  readonly chains: ChainSecrets;
  /** By the name that a row of VUKA_PROVIDERS_FILE gives. */
  readonly providers: ReadonlyMap<string, ProviderSecret>;
}

const password = z.string().min(1).max(1_000);
const credential = z.string().regex(/^[\x21-\x7e]{32,500}$/);
/** Base64url of 32 bytes. */
const key = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/)
  .transform((text) => Buffer.from(text, 'base64url'));

const keyId = z.string().regex(/^[a-z0-9-]{1,32}$/);

/** Newest first. */
const keys = z
  .array(z.object({ id: keyId, key }))
  .max(20)
  .refine((all) => new Set(all.map(({ id }) => id)).size === all.length);

/** Hexadecimal, because providers refuse paths with words such as `cmd`. */
const callbackToken = z.string().regex(/^[0-9a-f]{32,128}$/);

/** Chosen by us, and typed into the provider's dashboard: some take no more than 25 characters. */
const signingSecret = z.string().regex(/^[\x21-\x7e]{16,500}$/);

const provider = z.object({
  credential: z.string().regex(/^[\x21-\x7e]{1,4000}$/),
  callback_token: callbackToken.nullish(),
  previous_callback_token: callbackToken.nullish(),
  signing_secret: signingSecret.nullish(),
  previous_signing_secret: signingSecret.nullish(),
});

/** Newest first. */
const eventKeys = z.record(z.string(), keys).default({});

/** The old one and its successor. */
const MOST_PER_CALLER = 2;

const accepted = z
  .array(
    z
      .object({
        caller: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/),
        credential_sha256: z.string().regex(/^[0-9a-f]{64}$/),
      })
      .transform(({ caller, credential_sha256: credentialSha256 }) => ({ caller, credentialSha256 })),
  )
  .max(50)
  .refine((all) => all.every(({ caller }) => all.filter((one) => one.caller === caller).length <= MOST_PER_CALLER))
  .default([]);

/** Unknown members are ignored: an older release can use a newer file. */
const secretsFile = z.object({
  version: z.literal(1),
  env: z.enum(['sandbox', 'live']),
  service: z.string(),
  database_password: password.nullish(),
  cipher_keys: keys.nullish(),
  index_keys: keys.nullish(),
  webhook_keys: keys.nullish(),
  event_keys: z.object({ to: eventKeys, from: eventKeys }).nullish(),
  internal: z
    .object({
      present: z.record(z.string().regex(/^[a-z]{1,40}$/), credential).nullish(),
      accept: accepted,
    })
    .nullish(),
  operators: z
    .array(z.object({
      name: z.string().trim().min(1).max(80).regex(/^\P{Cc}*$/u).nullish(),
      role: z.enum(ROLES).default('admin'),
      credential_sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }))
    .max(200)
    .nullish(),
  key_peppers: keys.nullish(),
  assertion_key: z.object({ id: keyId, seed: key }).nullish(),
  approver_keys: z
    .array(z.object({ name: z.string().trim().min(1).max(80), key: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }))
    .max(200)
    .nullish(),
  admin_keys: z.array(z.object({ id: keyId, key: z.string().regex(/^[A-Za-z0-9_-]{43}$/) })).max(5).nullish(),
  kafka_password: password.nullish(),
  redis_password: password.nullish(),
  chain_rpc: z.record(z.string().refine(isReadableChain), z.array(z.string())).nullish(),
  deposit_xpub: z.string().regex(/^xpub[1-9A-HJ-NP-Za-km-z]{107}$/).nullish(),
  rates_url: z.string().transform((text) => ratesUrlOf(`rates_url in ${VARIABLE}`, text)).nullish(),
  providers: z.record(z.string(), provider).nullish(),
}); // prettier-ignore

/**
 * Format: docs/operators/secrets.md. Throws SettingsError, never with a secret, for a file that is unreadable, open
 * to others, incomplete, or of another service or environment.
 */
export async function loadSecrets(
  path: string,
  service: ServiceName,
  env: 'sandbox' | 'live',
): Promise<ServiceSecrets> {
  const parsed = secretsFile.safeParse(await readPrivateJson(VARIABLE, path));
  if (!parsed.success) {
    const members = new Set(parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file'));
    return refuseSetting(
      VARIABLE,
      `a valid secrets file: these members of ${path} are missing or wrong: ${[...members].join(', ')}`,
    );
  }
  const { data } = parsed;
  if (data.service !== service)
    refuseSetting(VARIABLE, `the secrets file of ${service}: ${path} belongs to another service`);
  // Sandbox and live never share a secret.
  if (data.env !== env) refuseSetting(VARIABLE, `a secrets file for VUKA_ENV=${env}: ${path} is for ${data.env}`);
  // Actions with real money must name a person.
  if (data.env === 'live' && data.operators?.some(({ name }) => typeof name !== 'string'))
    refuseSetting(
      VARIABLE,
      `a file in which every operator has a name, because VUKA_ENV is live: in ${path} one has none`,
    );
  const secrets: ServiceSecrets = {
    databasePassword: data.database_password ?? null,
    cipherKeys: data.cipher_keys ?? [],
    indexKeys: data.index_keys ?? [],
    webhookKeys: data.webhook_keys ?? [],
    presents: data.internal?.present ?? {},
    accepts: data.internal?.accept ?? [],
    operators: (data.operators ?? []).map(({ name, role, credential_sha256: credentialSha256 }) => ({
      name: name ?? null,
      role,
      credentialSha256,
    })),
    assertionKey: data.assertion_key ? signingKeyOf(data.assertion_key.id, data.assertion_key.seed) : null,
    adminKeys: (data.admin_keys ?? []).map(({ id, key: x }) => verifyingKeyOf(id, x)),
    approvers: (data.approver_keys ?? []).map(({ name, key: x }) => ({
      name,
      key: verifyingKeyOf(APPROVER_KEY_ID, x),
    })),
    keyPeppers: data.key_peppers ?? [],
    kafkaPassword: data.kafka_password ?? null,
    eventKeys: data.event_keys ?? { to: {}, from: {} },
    redisPassword: data.redis_password ?? null,
    chains: {
      endpoints: data.chain_rpc ?? {},
      depositXpub: data.deposit_xpub ?? null,
      ratesUrl: data.rates_url ?? null,
    },
    providers: new Map(Object.entries(data.providers ?? {}).map(([name, given]) => [name, secretOf(given)])),
  };
  for (const [chain, urls] of Object.entries(secrets.chains.endpoints))
    checkedEndpoints(`chain_rpc.${chain} in ${VARIABLE}`, urls);
  // Admin's key alone must not move real money.
  if (data.env === 'live' && secrets.adminKeys.length > 0 && secrets.approvers.length < FEWEST_APPROVERS)
    refuseSetting(VARIABLE, `a file with two people in approver_keys, because VUKA_ENV is live: ${path} has fewer`);
  const missing = missingMembers(service, data.env, secrets);
  if (missing.length > 0)
    refuseSetting(VARIABLE, `a complete secrets file for ${service}: ${path} lacks ${missing.join(', ')}`);
  return secrets;
}

function secretOf(given: z.output<typeof provider>): ProviderSecret {
  const inForce = (...secrets: (string | null | undefined)[]): string[] => secrets.flatMap((one) => one ?? []);
  return {
    credential: given.credential,
    callbackTokens: inForce(given.callback_token, given.previous_callback_token),
    signingSecrets: inForce(given.signing_secret, given.previous_signing_secret),
  };
}

function missingMembers(service: ServiceName, env: string, secrets: ServiceSecrets): string[] {
  const { databaseConnections, seals, tells, calls, gathers }: ServiceNeeds = SERVICES[service];
  const isCalled = Object.values(SERVICES).some((other: ServiceNeeds) => other.calls.includes(service));
  const needs: [member: string, isMissing: boolean][] = [
    ['database_password', databaseConnections > 0 && secrets.databasePassword === null],
    ['cipher_keys', seals && secrets.cipherKeys.length === 0],
    ['index_keys', seals && secrets.indexKeys.length === 0],
    ['webhook_keys', tells && secrets.webhookKeys.length === 0],
    ...calls.map((callee): [string, boolean] => [`internal.present.${callee}`, secrets.presents[callee] === undefined]),
    ['internal.accept', isCalled && secrets.accepts.length === 0],
    ['operators', gathers.length > 0 && secrets.operators.length === 0],
    ['key_peppers', service === 'gateway' && secrets.keyPeppers.length === 0],
    ...(['to', 'from'] as const).flatMap((way) =>
      eventPairsOf(service)[way].map((other): [string, boolean] => [
        `event_keys.${way}.${other}`,
        (secrets.eventKeys[way][other] ?? []).length === 0,
      ]),
    ),
    ['assertion_key', gathers.length > 0 && secrets.assertionKey === null],
    // Without them nobody can ask it anything. A sandbox may have no people.
    ['admin_keys', env === 'live' && databaseConnections > 0 && gathers.length === 0 && secrets.adminKeys.length === 0],
  ];
  return needs.flatMap(([member, isMissing]) => (isMissing ? [member] : []));
}
