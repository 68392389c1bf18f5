// Sets everything up, in the order of docs/operators/going-live.md, and takes it down again.
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { step } from '../command/progress.mjs';
import { makeAuthority } from './certificates.mjs';
import { configure, noServers, startServers, startServices } from './deployment.mjs';
import { OfflineMachine } from './offline.mjs';
import { startChains, startCompanies, startRates } from './outside.mjs';
import { hirePeople, operatorOf } from './people.mjs';
import { makeSecrets, PROVIDERS, providersFile } from './providers/index.mjs';
import { startSimulator } from './providers/simulator.mjs';
import { startFront } from './tls-front.mjs';

const HOST = '127.0.0.1';
const NOWHERE = 'http://127.0.0.1:1';
/** One of each family at least. */
const BRIEF = ['CELO', 'BASE', 'SOLANA', 'STELLAR'];

export class Stage {
  #undo = [];

  /** `isBrief`: with the chains alone that value goes back on. */
  static async open({ isBrief = false } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'vuka-rehearsal-'));
    for (const name of ['logs', 'secrets', 'files']) mkdirSync(join(folder, name), { mode: 0o700 });
    const [{ PortPicker }, { CHAINS }] = await Promise.all([
      import('../../libs/local-servers/dist/index.js'),
      import('../../libs/domain/dist/index.js'),
    ]);
    const chains = CHAINS.filter(({ name }) => !isBrief || BRIEF.includes(name));
    return new Stage({ folder, chains, ports: new PortPicker(), authority: await makeAuthority('Rehearsal CA') });
  }

  constructor({ folder, chains, ports, authority }) {
    this.folder = folder;
    this.chains = chains;
    this.ports = ports;
    this.authority = authority;
    this.authorityFile = this.#write('files/ca.pem', authority.pem);
    this.people = hirePeople();
    this.offline = new OfflineMachine(folder);
  }

  /** What comes before services: the world outside, servers, keys, files. */
  async prepare() {
    const solanaFile = join(this.folder, 'files/solana-addresses.json');
    const tell = (line) => this.notices.push(line);
    const [chains, keys, servers] = await Promise.all([
      this.#keep(
        step(`${String(this.chains.length)} chains`, () =>
          startChains({ folder: this.folder, wanted: this.chains.map(({ name }) => name), tell }),
        ),
      ),
      step('deposit addresses and refund wallets, made offline', () => this.offline.makeKeys(solanaFile)),
      this.#keep(startServers({ folder: this.folder, step })),
    ]);
    if (this.notices.length > 0) throw new Error(this.notices.join('\n'));
    this.nodes = chains.nodes;
    const outside = 'a certificate authority; three endpoints of each chain, rates and three providers behind TLS';
    await step(outside, () => this.#startOutside());
    await step('refund wallets and the Stellar account are funded', () => this.#fund(keys));
    await this.#configure({ keys, servers, solanaFile });
  }

  /** Files and environments alone, for starts that are refused before they look for a server. */
  async prepareFiles() {
    const solanaFile = join(this.folder, 'files/solana-addresses.json');
    const keys = await step('deposit addresses and refund wallets, made offline', () =>
      this.offline.makeKeys(solanaFile),
    );
    this.nodes = Object.fromEntries(this.chains.map(({ name }) => [name, NOWHERE]));
    this.ownAddressesFile = this.#write('files/own-addresses.json', '[]');
    await this.#startOutside();
    await this.#configure({ keys, servers: await noServers(), solanaFile });
  }

  async start() {
    const { folder } = this;
    this.services = await this.#keep(
      step('seven services, VUKA_ENV=live', () =>
        startServices({ folder, authority: this.authority, ...this.deployment }),
      ),
    );
    await this.#keep(
      startFront({
        ...(await this.authority.issue('api', [HOST])),
        port: this.frontPort,
        answer: (request, response, pass) => pass(`http://${HOST}:${String(this.apiPort)}${request.url}`),
      }),
    );
    const adminUrl = this.deployment.urls.admin;
    this.operators = await Promise.all(this.people.map((person) => operatorOf(person, { folder, adminUrl })));
  }

  async strike({ keepsFolder }) {
    for (const undo of this.#undo.splice(0).reverse()) await undo();
    if (!keepsFolder) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  notices = [];

  async #startOutside() {
    const { authority, authorityFile, folder, ports } = this;
    [this.apiPort, this.frontPort] = [await ports.pick(), await ports.pick()];
    this.publicUrl = `https://${HOST}:${String(this.frontPort)}`;
    this.providerSecrets = makeSecrets();
    const around = { folder, authority, authorityFile, ports, publicUrl: this.publicUrl };
    const startOne = (provider) => startSimulator(provider, { ...around, secret: this.providerSecrets[provider.id] });
    [this.companies, this.rates, ...this.simulators] = await Promise.all([
      this.#keep(startCompanies({ nodes: this.nodes, authority })),
      this.#keep(startRates({ authority })),
      ...PROVIDERS.map((provider) => this.#keep(startOne(provider))),
    ]);
  }

  /** As people do before the first deposit. What they funded is written down for the standing checks. */
  async #fund({ STELLAR_ACCOUNT: stellarAccount, ...keys }) {
    const [{ endowRefundWallet, SANDBOX_WALLET_TOKENS, SandboxStellar }, { acceptedTokens, tokenAsset }] =
      await Promise.all([import('../../libs/chains/dist/index.js'), import('../../libs/domain/dist/index.js')]);
    const funded = {};
    for (const chain of this.chains) {
      const address = keys[`REFUND_WALLET_${chain.family.toUpperCase()}`];
      await endowRefundWallet(chain, this.nodes[chain.name], address);
      for (const token of acceptedTokens(chain))
        (funded[address] ??= {})[tokenAsset(chain, token)] = String(SANDBOX_WALLET_TOKENS);
      if (chain.family !== 'stellar') continue;
      const hands = new SandboxStellar(chain, this.nodes[chain.name]);
      for (const { symbol } of acceptedTokens(chain))
        await hands.hold({ account: stellarAccount, asset: symbol, amount: '0' });
    }
    const own = Object.entries(funded).map(([address, tokens]) => ({ address, funded: tokens }));
    this.ownAddressesFile = this.#write('files/own-addresses.json', JSON.stringify(own));
  }

  async #configure({ keys: { DEPOSIT_XPUB: xpub, ...wallets }, servers, solanaFile }) {
    const { authority, authorityFile, folder, people, ports } = this;
    const baseUrls = Object.fromEntries(this.simulators.map(({ id, baseUrl }) => [id, baseUrl]));
    this.providers = await providersFile({ baseUrls, callbackHost: new URL(this.publicUrl).host });
    this.deployment = await configure({
      folder,
      servers,
      ports,
      people,
      authority,
      authorityFile,
      api: { port: this.apiPort, publicUrl: this.publicUrl },
      outside: {
        offrampSecrets: { chain_rpc: this.companies.endpoints, deposit_xpub: xpub, rates_url: this.rates.url },
        offrampSettings: {
          ...wallets,
          SOLANA_ADDRESSES_FILE: solanaFile,
          OWN_ADDRESSES_FILE: this.ownAddressesFile,
          SCREENING_FILE: this.#write('files/screening.json', '[]'),
        },
        providersFile: this.#write('files/providers.json', JSON.stringify(this.providers, null, 2)),
        providerSecrets: this.providerSecrets,
      },
    });
  }

  #write(name, text) {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  async #keep(starting) {
    const started = await starting;
    this.#undo.push(() => started.stop());
    return started;
  }
}
