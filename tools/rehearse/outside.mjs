// The world outside Vuka: nine chains, three companies that serve each of them, a source of rates, and pawaPay.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { lookUntil } from '../demo/look.mjs';
import { startFront } from './tls-front.mjs';

const HOST = '127.0.0.1';
/** Each serves every chain, by an account of ours. */
const COMPANIES = ['first', 'second', 'third'];
const SIMULATOR = join(ROOT, 'apps/sandbox/dist/providers/pawapay/main.js');
const READY_WITHIN_MS = 30_000;
/** Of each payment, whatever its currency. */
const FEE = '1';

const secret = () => randomBytes(24).toString('hex');

/** Nodes on this machine, without a setting of ours: each is served by all companies. */
export async function startChains({ folder, wanted, tell }) {
  const { SandboxChains } = await import('../../apps/sandbox/dist/chains/sandbox-chains.js');
  const { createLogger } = await import('../../libs/runtime/dist/index.js');
  const chains = new SandboxChains({
    folder: join(folder, 'chains'),
    wanted,
    settings: { endpoints: {}, agree: 1 },
    log: createLogger('chains', { level: 'silent' }),
    tell,
  });
  await chains.start();
  const nodes = Object.fromEntries(Object.entries(chains.endpoints).map(([name, [url]]) => [name, url]));
  return { nodes, stop: () => chains.stop() };
}

/** `endpoints` by chain: one URL of each company, with our key in it. `silence(company, chain)`: it answers no more. */
export async function startCompanies({ nodes, authority }) {
  const calls = {};
  const silent = new Set();
  const fronts = await Promise.all(COMPANIES.map((company) => serveAs(company)));

  async function serveAs(company) {
    const key = secret();
    const front = await startFront({
      ...(await authority.issue(`${company} endpoints`, [HOST])),
      answer: (request, response, pass) => {
        const [, name, account, ...rest] = request.url.split('/');
        const node = nodes[name.toUpperCase()];
        if (node === undefined || account?.split('?')[0] !== key) return response.writeHead(401).end();
        if (silent.has(`${company} ${name}`)) return response.destroy();
        calls[company] = (calls[company] ?? 0) + 1;
        return pass(`${node}/${rest.join('/')}`);
      },
    });
    return { company, key, ...front };
  }

  return {
    endpoints: Object.fromEntries(
      Object.keys(nodes).map((chain) => [
        chain,
        fronts.map(({ origin, key }) => `${origin}/${chain.toLowerCase()}/${key}`),
      ]),
    ),
    calls,
    silence: (number, chain) => silent.add(`${COMPANIES[number]} ${chain.toLowerCase()}`),
    stop: () => Promise.all(fronts.map(({ stop }) => stop())),
  };
}

/** The middle of the market, and each token at a dollar. */
export async function startRates({ authority }) {
  const { CHAINS, CURRENCIES, acceptedTokens } = await import('../../libs/domain/dist/index.js');
  const key = secret();
  const rates = Object.fromEntries(Object.entries(CURRENCIES).map(([code, { sandboxRate }]) => [code, sandboxRate]));
  const symbols = new Set(CHAINS.flatMap((chain) => acceptedTokens(chain).map(({ symbol }) => symbol)));
  const pegs = Object.fromEntries([...symbols].map((symbol) => [symbol, '1']));
  const front = await startFront({
    ...(await authority.issue('rates', [HOST])),
    answer: (request, response) => {
      if (request.url !== `/rates?key=${key}`) return response.writeHead(401).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ at: new Date().toISOString(), rates, pegs }));
    },
  });
  return { url: `${front.origin}/rates?key=${key}`, stop: front.stop };
}

/** pawaPay in a process of its own: it trusts our certificate by its CA, as everybody outside would. */
export async function startPawapay({ folder, authority, authorityFile, ports, callbackUrl }) {
  const { spawnChild, endChild, isRunning } = await import('../../apps/stack/dist/members/spawn-child.js');
  const token = secret();
  const tls = await authority.issue('pawapay', [HOST]);
  const [keyFile, certFile] = ['pawapay-key.pem', 'pawapay-cert.pem'].map((name) => join(folder, name));
  await writeFile(keyFile, tls.key, { mode: 0o600 });
  await writeFile(certFile, tls.cert);
  const [port, controlPort] = [await ports.pick(), await ports.pick()];
  const settings = { FOLDER: join(folder, 'pawapay'), TOKEN: token, PORT: port, CONTROL_PORT: controlPort, CALLBACK_URL: callbackUrl, OPENING: '0', FEE: FEE, TLS_KEY_FILE: keyFile, TLS_CERT_FILE: certFile }; // prettier-ignore
  const env = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`PAWAPAY_SIMULATOR_${name}`, String(value)]),
  );
  const child = spawnChild(SIMULATOR, join(folder, 'logs/pawapay.log'), {
    ...env,
    NODE_EXTRA_CA_CERTS: authorityFile,
  });
  const control = async (method, path, body) => {
    const answer = await fetch(`http://${HOST}:${controlPort}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(READY_WITHIN_MS),
    });
    if (answer.status !== 200) throw new Error(`pawaPay's control answers ${answer.status} to ${path}`);
    return answer.json();
  };
  const isUp = () => (isRunning(child) ? control('GET', '/numbers').catch(() => null) : 'ended');
  const up = await lookUntil(isUp, (found) => found !== null, READY_WITHIN_MS);
  if (up === null || up === 'ended') throw new Error('pawaPay did not start: logs/pawapay.log');
  return {
    baseUrl: `https://${HOST}:${port}`,
    token,
    book: () => control('GET', '/book'),
    callbacks: () => control('GET', '/callbacks').then(({ deliveries }) => deliveries),
    topUp: (wallet) => control('POST', '/wallets/top-up', wallet),
    moveClock: (ms) => control('POST', '/clock', { advanceMs: ms }),
    stop: () => endChild(child),
  };
}
