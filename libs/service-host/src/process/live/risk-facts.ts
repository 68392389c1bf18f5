import { listeningAddresses, machineFacts, readSettingJson, type RiskFacts, type Settings } from '@vuka/config';
import type { KafkaConnection } from '@vuka/messaging';
import type { RedisConnection } from '@vuka/runtime';
import { z } from 'zod';

import type { ServiceSecrets } from '../service-secrets.js';

/** Of a service's settings. */
interface Judged extends Settings {
  readonly database: { readonly host: string; readonly ssl?: unknown } | null;
  readonly kafka: KafkaConnection | null;
  readonly redis: RedisConnection | null;
  readonly internal: { readonly host: string };
  readonly secrets: ServiceSecrets;
  readonly providersFile: string | null;
}

export async function factsOf(settings: Judged, env: NodeJS.ProcessEnv): Promise<RiskFacts> {
  const { database, kafka, redis, internal, secrets, providersFile } = settings;
  const redisUrl = redis && new URL(redis.url);
  return {
    settings,
    database: database && { host: database.host, hasTls: database.ssl !== undefined },
    kafka: kafka && {
      hosts: kafka.brokers.map((broker) => broker.replace(/:\d+$/, '')),
      hasTls: kafka.tls !== null,
      hasLogin: kafka.sasl !== null || kafka.tls?.cert !== undefined,
    },
    redis: redisUrl && { host: redisUrl.hostname, hasPassword: redisUrl.password !== '' },
    internalAddresses: await listeningAddresses(internal.host),
    providerUrls: providersFile === null ? [] : await providerUrlsIn(providersFile),
    chosenSecrets: chosenOf(secrets),
    machine: machineFacts(env),
  };
}

/** What people may have typed. Keys are 32 bytes by their form, and providers choose their own. */
function chosenOf({ databasePassword, kafkaPassword, redisPassword, presents }: ServiceSecrets): string[] {
  return [databasePassword, kafkaPassword, redisPassword, ...Object.values(presents)].flatMap((text) => text ?? []);
}

const withUrls = z.object({ providers: z.array(z.object({ base_url: z.string() })) });

/** [] for a file that says nothing: openProviders tells what is wrong with it. */
async function providerUrlsIn(file: string): Promise<string[]> {
  const json = await readSettingJson('VUKA_PROVIDERS_FILE', file).catch(() => undefined);
  return withUrls.safeParse(json).data?.providers.map((row) => row.base_url) ?? [];
}
