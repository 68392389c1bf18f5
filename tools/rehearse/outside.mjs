// The world outside Vuka but its providers: nine chains, three companies that serve each of them, a source of rates.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { startFront } from './tls-front.mjs';

const HOST = '127.0.0.1';
/** Each serves every chain, by an account of ours. */
const COMPANIES = ['first', 'second', 'third'];

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
