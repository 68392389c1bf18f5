import { type EmbeddedSettings, loadTerms } from '@vuka/config';
import {
  type DataFolder,
  type FolderLock,
  loadSecrets,
  openDataFolder,
  refuseStackFolder,
  takeFolder,
} from '@vuka/data-folder';
import { assertAddressIsFree } from '@vuka/http';
import { startEmbeddedPostgres } from '@vuka/persistence';
import { BootSteps, createLogger } from '@vuka/runtime';

const LOCK_WAIT_MS = 10_000;

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
    const { settings, steps, tell } = this;
    const folder = await steps.run(`data folder ${settings.dataDir}`, () => this.takeFolder());
    await steps.run('address of the API is free', () => assertAddressIsFree(settings));
    const currencies = await steps.run('limits and fees', () => loadTerms(settings));
    const secrets = await steps.run('secrets', () => loadSecrets(folder, settings.env));
    const log = createLogger('postgres', { level: settings.logLevel });
    // Most of our code: loading it takes longer than PostgreSQL does, and blocks this process.
    const meanwhile = (): Promise<unknown> => import('./start-on-database.js');
    const server = await steps.run(
      'PostgreSQL',
      () => startEmbeddedPostgres({ folder: folder.postgres, durable: true, meanwhile, log }),
      (started) => started.stop(),
    );
    const { startOnDatabase } = await import('./start-on-database.js');
    await startOnDatabase(steps, { settings, folder, currencies, secrets, server, tell });
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
}
