import { performance } from 'node:perf_hooks';

import type { EmbeddedSettings, Settings } from '@vuka/config';
import { type DataFolder, type Secrets, seedSandbox, writeSandboxFile } from '@vuka/data-folder';
import type { Currencies } from '@vuka/domain';
import { listenProblem, reachableUrl } from '@vuka/http';
import type { EmbeddedPostgres } from '@vuka/persistence';
import type { BootSteps } from '@vuka/runtime';
import type { Providers } from '@vuka/service-host';
import { ensureDepositSources, ensureRefundWallets, exampleDeposit, SandboxChains } from '@vuka/sandbox';

import { startAdmin } from './start-admin.js';
import { banner, type BannerFacts } from './banner.js';
import { composeServices, ensureLogins, loggerOf, type Composition, type Ground } from './compose.js';
import { startSandboxProviders } from './sandbox-providers.js';

/** Live pays as services of their own: their secrets are in files of their own. Here every payout is refused at once. */
const NO_PROVIDERS: Providers = { providers: [], coverage: [] };

export interface Base {
  readonly settings: EmbeddedSettings;
  readonly folder: DataFolder;
  readonly currencies: Currencies;
  readonly secrets: Secrets;
  readonly server: EmbeddedPostgres;
  readonly tell: (line: string) => void;
}

/** Throws as BootSteps. */
export async function startOnDatabase(steps: BootSteps, base: Base): Promise<void> {
  const { settings, folder, currencies, secrets, server } = base;
  const providers =
    settings.env === 'sandbox'
      ? await steps.run(
          'sandbox providers',
          () => startSandboxProviders(settings, folder, secrets),
          (started) => started.stop(),
        )
      : NO_PROVIDERS;
  const chains =
    settings.env === 'sandbox'
      ? await steps.run(
          'sandbox chains',
          () => startChains(base),
          (started) => started.stop(),
        )
      : undefined;
  const ground: Ground = {
    settings: chains === undefined ? settings : await readingFrom(chains, base),
    secrets,
    server,
    currencies,
    providers,
  };
  await steps.run('database logins', () => ensureLogins(ground));
  const composition = await startServices(steps, ground);
  const sandbox =
    settings.env === 'sandbox'
      ? await steps.run('sandbox partners', () => seedSandbox(composition.services, secrets, settings.testPartners))
      : undefined;
  await steps.run(
    'admin API',
    () => startAdmin(ground, folder),
    (started) => started.stop(),
  );
  await steps.run(
    'API',
    () => listen(composition, settings),
    () => composition.gateway.root.closeApi(),
  );
  const baseUrl = reachableUrl(composition.gateway.root.baseUrl);
  const directory = sandbox && {
    base_url: baseUrl,
    docs_url: `${baseUrl}/docs`,
    partners: sandbox,
    ...(chains && { chains: chains.directory }),
  };
  if (directory !== undefined) await steps.run('sandbox.json', () => writeSandboxFile(folder.sandboxFile, directory));
  announce(
    base,
    baseUrl,
    directory && { file: folder.sandboxFile, directory, deposit: await exampleDeposit(directory) },
  );
}

async function startChains({ settings, folder, tell }: Base): Promise<SandboxChains> {
  const chains = new SandboxChains({
    folder: folder.chains,
    wanted: settings.sandboxChains,
    settings: settings.chains,
    log: loggerOf(settings, 'sandbox-chains'),
    tell,
  });
  await chains.start();
  return chains;
}

/** Unless set otherwise, offramp uses the sandbox's nodes and the folder's own keys and refund wallets. */
async function readingFrom(sandbox: SandboxChains, { settings, folder, tell }: Base): Promise<EmbeddedSettings> {
  const endpoints = { ...sandbox.endpoints, ...settings.chains.endpoints };
  const sources = await ensureDepositSources(folder, settings.chains, Object.keys(endpoints));
  const keys = await ensureRefundWallets({ folder, settings: settings.chains, nodes: sandbox.endpoints, tell });
  return {
    ...settings,
    chains: { ...settings.chains, endpoints, ...sources, ...(keys !== undefined && { sandboxRefundKeysFile: keys }) },
  };
}

async function startServices(steps: BootSteps, ground: Ground): Promise<Composition> {
  const composition = await steps.run('services', () => composeServices(ground), stopUnlistened);
  const { eventBus, jobs, backends } = composition;
  await steps.run('events', () => eventBus.start());
  await steps.run('work', () => startAll(backends));
  await steps.run('jobs', () => jobs.start());
  return composition;
}

async function startAll(services: Composition['backends']): Promise<void> {
  await Promise.all(services.map((service) => service.start()));
}

/**
 * The event bus stops before the services, because it uses their connections. Undelivered events wait in their outbox.
 * The API is closed first in case the start failed.
 */
async function stopUnlistened({ gateway, backends, eventBus, jobs }: Composition): Promise<void> {
  await gateway.root.closeApi();
  await eventBus.stop();
  await Promise.all([gateway, ...backends].map((service) => service.stop()));
  await jobs.stop();
}

async function listen({ gateway }: Composition, settings: Settings): Promise<void> {
  try {
    await gateway.start();
  } catch (error) {
    throw listenProblem(settings, error);
  }
}

function announce({ settings, folder, tell }: Base, baseUrl: string, sandbox: BannerFacts['sandbox']): void {
  const { env, unknownVariables } = settings;
  for (const name of unknownVariables) tell(`  ! ${name} is no setting of Vuka; is it a typing error?`);
  tell(
    banner({
      baseUrl,
      env,
      dataDir: folder.path,
      readyAfterMs: performance.now(),
      exampleReference: `hello-${Date.now().toString(36)}`,
      ...(sandbox && { sandbox }),
    }),
  );
}
