// The file of secrets of each service, as docs/operators/secrets.md has it.
import { hash, randomBytes } from 'node:crypto';

export const secret = (bytes = 32) => randomBytes(bytes).toString('base64url');

/** Admin keeps what tells a credential, not the credential. */
const known = ({ name, credential }) => ({ name, role: 'admin', credential_sha256: hash('sha256', credential, 'hex') });

/** `internal`: by service, with what it presents to others. */
export async function secretFiles({ servers, people, outside, internal }) {
  const { SERVICES, SERVICE_NAMES } = await import('../../libs/contracts/dist/services.js');
  const keysOfPeople = await peopleKeys(people);
  const eventKeysOf = await eventKeys();
  const webhookKeys = [{ id: 'w1', key: secret() }];
  const callersOf = (service) => SERVICE_NAMES.filter((name) => SERVICES[name].calls.includes(service));
  return (service) => {
    const { databaseConnections, gathers, providers, seals, tells } = SERVICES[service];
    const accept = callersOf(service).map((caller) => ({
      caller,
      credential_sha256: hash('sha256', internal[caller].present[service]),
    }));
    return {
      version: 1,
      env: 'live',
      service,
      internal: { present: internal[service].present, accept },
      event_keys: eventKeysOf(service),
      redis_password: servers.redis.password,
      ...(databaseConnections > 0 && { database_password: servers.passwords[service] }),
      ...(gathers.length > 0 ? keysOfPeople.admin : databaseConnections > 0 && keysOfPeople.services),
      ...(seals && { cipher_keys: [{ id: 'k1', key: secret() }], index_keys: [{ id: 'i1', key: secret() }] }),
      ...(tells && { webhook_keys: webhookKeys }),
      ...(service === 'gateway' && { key_peppers: [{ id: 'p1', key: secret() }] }),
      ...(service === 'offramp' && outside.offrampSecrets),
      ...(providers && { providers: outside.providerSecrets }),
    };
  };
}

/** Admin signs what it asks for people; services know its public half and those of the people who approve. */
async function peopleKeys(people) {
  const { publicHalfOf, signingKeyOf } = await import('../../libs/runtime/dist/index.js');
  const seed = randomBytes(32);
  const publicKeyOf = (id, bytes) => publicHalfOf(signingKeyOf(id, bytes));
  const approver_keys = people.map(({ name, signing_seed }) => ({
    name,
    key: publicKeyOf('approver', Buffer.from(signing_seed, 'base64url')),
  }));
  return {
    admin: { operators: people.map(known), assertion_key: { id: 'a1', seed: seed.toString('base64url') } },
    services: { admin_keys: [{ id: 'a1', key: publicKeyOf('a1', seed) }], approver_keys },
  };
}

/** One key for each pair of producer and reader, the same in both files. */
async function eventKeys() {
  const { eventPairsOf } = await import('../../libs/contracts/dist/events.js');
  const made = new Map();
  const keyOf = (producer, reader) => {
    const pair = `${producer} ${reader}`;
    if (!made.has(pair)) made.set(pair, [{ id: 'e1', key: secret() }]);
    return made.get(pair);
  };
  return (service) => {
    const { to, from } = eventPairsOf(service);
    return {
      to: Object.fromEntries(to.map((reader) => [reader, keyOf(service, reader)])),
      from: Object.fromEntries(from.map((producer) => [producer, keyOf(producer, service)])),
    };
  };
}
