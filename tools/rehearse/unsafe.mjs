// Each unsafe setting by itself, put into what the deployment runs with: the start refuses it by name.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { programOf } from './deployment.mjs';
import { PROVIDERS } from './providers/index.mjs';

/** It reads settings before anything else. Long, for a busy machine. */
const REFUSED_WITHIN_MS = 120_000;
const AT_ONCE = 2;
const PRIVATE = 0o600;

/** One variable with another value; null: absent. */
const set = (service, variable, value) => ({ service, named: variable, what: value === null ? 'absent' : value, env: { [variable]: value } }); // prettier-ignore
/** A changed copy of the file that a variable names; `more`: what else differs, or is named instead. */
const changed = (service, variable, what, change, more = {}) => ({ service, named: variable, what, env: {}, variable, change, ...more }); // prettier-ignore
const secrets = (service, what, change, more) => changed(service, 'VUKA_SECRETS_FILE', what, change, more);

/** A changed row of one provider, or a changed first route. `mentions`: what a refusal says as well. */
const provider = (id, what, row, mentions = `${pathOf(id)}.${Object.keys(row)[0]}`) =>
  changed('payments', 'VUKA_PROVIDERS_FILE', `${id}: ${what}`, (all) => ({ ...all, providers: all.providers.map((one) => (one.id === id ? { ...one, ...row } : one)) }), { mentions }); // prettier-ignore
const pathOf = (id) => `providers.${String(PROVIDERS.findIndex((one) => one.id === id))}`;
const providerSecret = (id, what, secret) =>
  secrets('payments', `${id}: ${what}`, (all) => ({ ...all, providers: { ...all.providers, [id]: { ...all.providers[id], ...secret } } }), { named: 'VUKA_PROVIDERS_FILE', mentions: `${pathOf(id)}.secret` }); // prettier-ignore
const route = (what, row) =>
  changed('gateway', 'VUKA_PROVIDERS_FILE', what, (all) => ({ ...all, routes: all.routes.map((one, place) => (place === 0 ? { ...one, ...row } : one)) }), { mentions: 'routes.0' }); // prettier-ignore

const ELSEWHERE = ['https://127.0.0.1:1/celo', 'https://127.0.0.1:2/celo', 'https://127.0.0.1:3/celo'];
const PLAY_MONEY = { id: 'sandbox', base_url: 'https://sandbox.example.com', secret: 'pawapay', countries: ['KE'], accepts_stablecoin_funds: 'yes' }; // prettier-ignore
const withoutTls = (url) => url.replace('https://', 'http://');
const FOR_TESTS = {
  VUKA_CRASH_AT: 'payments.before-commit',
  VUKA_TEST_WIRE_SEED: '7',
  VUKA_TEST_SEARCH_MS: '1000',
  VUKA_TEST_REFUND_SAFE_MS: '1000',
  VUKA_TEST_CHAIN_EPOCH: '8',
  VUKA_TEST_PARTNERS: '2',
};

const CASES = [
  set('offramp', 'CHAIN_RPC_AGREE', '1'),
  secrets('offramp', 'one endpoint for CELO', (all) => ({ ...all, chain_rpc: { ...all.chain_rpc, CELO: [ELSEWHERE[0]] } }), { named: 'CHAIN_RPC_CELO' }), // prettier-ignore
  set('offramp', 'CHAIN_RPC_CELO', ELSEWHERE.join(',')),
  secrets('offramp', 'CELO without TLS', (all) => ({ ...all, chain_rpc: { ...all.chain_rpc, CELO: ELSEWHERE.map(withoutTls) } }), { named: 'chains-over-http' }), // prettier-ignore
  secrets('offramp', 'no deposit_xpub', (all) => ({ ...all, deposit_xpub: null }), { named: 'DEPOSIT_XPUB' }),
  secrets('offramp', 'no rates_url', (all) => ({ ...all, rates_url: null }), { named: 'RATES_URL' }),
  secrets('offramp', 'rates without TLS', (all) => ({ ...all, rates_url: withoutTls(all.rates_url) }), { named: 'rates-over-http' }), // prettier-ignore
  set('offramp', 'SOLANA_ADDRESSES_FILE', null),
  set('offramp', 'STELLAR_ACCOUNT', null),
  set('offramp', 'SANDBOX_REFUND_KEYS_FILE', '/refund-keys.json'),
  set('offramp', 'VUKA_SANDBOX_CHAINS', 'all'),
  set('gateway', 'WEBHOOK_ALLOW_PRIVATE', 'true'),
  set('notifier', 'WEBHOOK_ALLOW_PRIVATE', 'true'),
  set('gateway', 'PUBLIC_URL', 'http://pay.example.com'),
  set('checkout', 'CHECKOUT_ORDER_SECONDS', '60'),
  set('checkout', 'CHECKOUT_CONFIRM_MINUTES', '1'),
  ...Object.entries(FOR_TESTS).map(([variable, value]) => set('payments', variable, value)),
  set('payments', 'VUKA_DATABASE_URL', 'postgres://vuka_payments:a-password@127.0.0.1:5432/vuka'),
  secrets('notifier', 'plain, without TLS', (all) => ({ ...all, kafka_password: 'a-password' }), { named: 'VUKA_KAFKA_SASL', env: { VUKA_KAFKA_SASL: 'plain', VUKA_KAFKA_USERNAME: 'vuka' } }), // prettier-ignore
  secrets('payments', 'of the sandbox', (all) => ({ ...all, env: 'sandbox' })),
  secrets('payments', 'of another service', (all) => ({ ...all, service: 'notifier' })),
  secrets('payments', 'readable by others', (all) => all, { mode: 0o644 }),
  secrets('payments', 'one approver', (all) => ({ ...all, approver_keys: all.approver_keys.slice(0, 1) })),
  secrets('admin', 'an operator without a name', (all) => ({ ...all, operators: all.operators.map((one) => ({ ...one, name: null })) })), // prettier-ignore
  set('payments', 'VUKA_PROVIDERS_FILE', null),
  provider('pawapay', 'plain http', { base_url: 'http://pawapay.example.com' }, 'providers-over-http'),
  provider('pawapay', 'its test system', { base_url: 'https://api.sandbox.pawapay.io' }),
  provider('pawapay', 'value that goes back at once', { refund_safe_after_ms: 0 }),
  changed('payments', 'VUKA_PROVIDERS_FILE', 'play money', () => ({ providers: [PLAY_MONEY], routes: [] }), { mentions: 'play money' }), // prettier-ignore
  ...PROVIDERS.map(({ id }) =>
    provider(id, 'does not accept money from stablecoin', { accepts_stablecoin_funds: 'no' }),
  ),
  ...PROVIDERS.map(({ id }) => provider(id, 'nobody knows whether it accepts money from stablecoin', { accepts_stablecoin_funds: 'unknown' })), // prettier-ignore
  provider('pawapay', 'a secret that is not there', { secret: 'another' }),
  provider('pawapay', 'a setting that is not known', { dedupe_for_ms: 1 }, 'dedupe_for_ms'),
  providerSecret('paystack', 'a key of its test mode', { credential: 'sk_test_0123456789abcdef' }),
  providerSecret('chapa', 'a key of its test mode', { credential: 'CHASECK_TEST-0123456789abcdef' }),
  providerSecret('chapa', 'no signing_secret, so that it may pay nothing', { signing_secret: null }),
  providerSecret('chapa', 'no callback_token, so that it may pay nothing', { callback_token: null }),
  route('what the provider does not pay', { network: 'Airtel' }),
  route('a provider that is not there', { providers: ['another'] }),
];

/** Starts `service` once for each case, or each of part `[n, of]` of them. An answer is `{ service, setting, what, refused }`, with what it said otherwise. */
export async function tryUnsafe({ folder, environments, part: [part, parts] }, onDone = () => undefined) {
  const place = join(folder, 'unsafe');
  mkdirSync(place, { mode: 0o700 });
  const results = [];
  const queue = CASES.filter((_, at) => at % parts === part - 1).entries();
  const work = async () => {
    for (const [number, one] of queue) {
      const result = await tryOne(one, { environments, copy: join(place, `${String(number)}.json`) });
      results[number] = result;
      onDone(result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

async function tryOne(
  { service, named, mentions = '', what, env, variable, change, mode = PRIVATE },
  { environments, copy },
) {
  const good = environments[service];
  const given = { ...good, ...env };
  if (variable !== undefined) {
    writeFileSync(copy, JSON.stringify(change(JSON.parse(readFileSync(good[variable], 'utf8')))));
    chmodSync(copy, mode);
    given[variable] = copy;
  }
  const { code, said } = await start(service, given);
  const refused = code === 1 && said.includes(named) && said.includes(mentions);
  return { service, setting: named, what, refused, ...(!refused && { ended_with: code, said: said.slice(0, 2_000) }) };
}

/** `code`: null where it had to be ended, because it started. */
async function start(service, env) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [programOf(service)], {
    cwd: ROOT,
    env: { PATH, HOME, ...present },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: REFUSED_WITHIN_MS,
    killSignal: 'SIGKILL',
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk.toString()));
  const [code] = await once(child, 'exit');
  process.off('exit', end);
  return { code, said };
}
