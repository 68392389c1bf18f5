import { performance } from 'node:perf_hooks';

import { type EmbeddedSettings, loadTerms, type Settings } from '@vuka/config';
import {
  type DataFolder,
  type FolderLock,
  loadSecrets,
  openDataFolder,
  refuseStackFolder,
  seedSandbox,
  takeFolder,
  writeSandboxFile,
} from '@vuka/data-folder';
import { assertAddressIsFree, listenProblem, reachableUrl } from '@vuka/http';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@vuka/persistence';
import { BootSteps } from '@vuka/runtime';
import type { Providers } from '@vuka/service-host';
import { ensureDepositSources, ensureRefundWallets, exampleDeposit, SandboxChains } from '@vuka/sandbox';

import { startAdmin } from './start-admin.js';
import { banner, type BannerFacts } from './banner.js';
import { composeServices, ensureLogins, loggerOf, type Composition, type Ground } from './compose.js';
import { startSandboxProviders } from './sandbox-providers.js';

const LOCK_WAIT_MS = 10_000;
/** Live pays as services of their own: their secrets are in files of their own. Here every payout is refused at once. */
const NO_PROVIDERS: Providers = { providers: [], coverage: [] };

export class EmbeddedVuka {
  private readonly steps: BootSteps;
  private lock: FolderLock | undefined;

  constructor(
    private readonly settings: EmbeddedSettings,
    private readonly tell: (line: string) => void,
  ) {
    this.steps = new BootSteps((title, ms) => tell(`  ✓ ${title} (${ms} ms)`));
  }

  /** Throws BootError, or StoppedWhileStarting after stop(); stop() cleans up after both. */
  async start(): Promise<void> {
    const { settings, steps } = this;
    const folder = await steps.run(`data folder ${settings.dataDir}`, () => this.takeFolder());
    await steps.run('address of the API is free', () => assertAddressIsFree(settings));
    const currencies = await steps.run('limits and fees', () => loadTerms(settings));
    const secrets = await steps.run('secrets', () => loadSecrets(folder, settings.env));
    const server = await steps.run(
      'PostgreSQL',
      () => startPostgres(settings, folder),
      (started) => started.stop(),
    );
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
            () => this.startChains(folder),
            (started) => started.stop(),
          )
        : undefined;
    const withChains = chains === undefined ? settings : await this.readingFrom(chains, folder);
    const ground: Ground = {
      settings: withChains,
      secrets,
      server,
      currencies,
      providers,
    };
    await steps.run('database logins', () => ensureLogins(ground));
    const composition = await this.startServices(ground);
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
    this.announce(
      baseUrl,
      folder,
      directory && { file: folder.sandboxFile, directory, deposit: await exampleDeposit(directory) },
    );
  }

  /** Order: API first, then work in progress, the database last. Throws what did not stop in time. */
  async stop(limitMs: number): Promise<void> {
    try {
      await this.steps.stop(limitMs);
    } finally {
      await this.lock?.release();
    }
  }

  private async takeFolder(): Promise<DataFolder> {
    const open = async (): Promise<DataFolder> => {
      const opened = await openDataFolder(this.settings.dataDir);
      refuseStackFolder(opened.path);
      return opened;
    };
    const onWait = (pid: number): void =>
      this.tell(`  … waiting for another Vuka (process ${pid}) to leave this folder`);
    const { folder, lock } = await takeFolder(
      { path: this.settings.dataDir, variable: 'VUKA_DATA_DIR', open },
      { waitMs: LOCK_WAIT_MS, onWait },
    );
    this.lock = lock;
    return folder;
  }

  private async startChains({ chains: folder }: DataFolder): Promise<SandboxChains> {
    const { settings, tell } = this;
    const chains = new SandboxChains({
      folder,
      wanted: settings.sandboxChains,
      settings: settings.chains,
      log: loggerOf(settings, 'sandbox-chains'),
      tell,
    });
    await chains.start();
    return chains;
  }

  /** Unless set otherwise, offramp uses the sandbox's nodes and the folder's own keys and refund wallets. */
  private async readingFrom(sandbox: SandboxChains, folder: DataFolder): Promise<EmbeddedSettings> {
    const { settings, tell } = this;
    const endpoints = { ...sandbox.endpoints, ...settings.chains.endpoints };
    const sources = await ensureDepositSources(folder, settings.chains, Object.keys(endpoints));
    const keys = await ensureRefundWallets({ folder, settings: settings.chains, nodes: sandbox.endpoints, tell });
    return {
      ...settings,
      chains: { ...settings.chains, endpoints, ...sources, ...(keys !== undefined && { sandboxRefundKeysFile: keys }) },
    };
  }

  private async startServices(ground: Ground): Promise<Composition> {
    const { steps } = this;
    const composition = await steps.run('services', () => composeServices(ground), stopUnlistened);
    const { eventBus, jobs, backends } = composition;
    await steps.run('events', () => eventBus.start());
    await steps.run('work', () => startAll(backends));
    await steps.run('jobs', () => jobs.start());
    return composition;
  }

  private announce(baseUrl: string, folder: DataFolder, sandbox: BannerFacts['sandbox']): void {
    const { env, unknownVariables } = this.settings;
    for (const name of unknownVariables) this.tell(`  ! ${name} is no setting of Vuka; is it a typing error?`);
    this.tell(
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
}

function startPostgres(settings: Settings, folder: DataFolder): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ folder: folder.postgres, durable: true, log: loggerOf(settings, 'postgres') });
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
