import { randomBytes } from 'node:crypto';

import { deskDatabase, OPEN_DESK } from '@vuka/admin';
import { type DataFolder, type DeskName, DESKS, removeFolderAdmin, writeFolderAdmin } from '@vuka/data-folder';
import { DeskHost, type InternalServer, startInternalServer } from '@vuka/http';
import { Metrics, systemClock } from '@vuka/runtime';
import type { DeskGround } from '@vuka/service-host';

import { loggerOf, type Ground } from './compose.js';

const DATABASE = 'vuka';
/** As long as a call may take. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** The desks of all services of one process, on this machine alone, for whoever may read the folder's `admin.json`. */
export class AdminServer {
  private constructor(
    private readonly server: InternalServer,
    private readonly hosts: readonly DeskHost[],
    private readonly folder: DataFolder,
  ) {}

  static async start(ground: Ground, folder: DataFolder): Promise<AdminServer> {
    const log = loggerOf(ground.settings, 'admin');
    const hosts = DESKS.map(
      (service) =>
        new DeskHost({
          service,
          open: () => OPEN_DESK[service](groundOf(ground, service)),
          log: loggerOf(ground.settings, `${service}-desk`),
        }),
    );
    // Made anew at every start: what a killed Vuka left in its file opens nothing of the next one.
    const credential = randomBytes(32).toString('base64url');
    const server = await startInternalServer({
      service: 'admin',
      host: '127.0.0.1',
      port: 0,
      accept: [{ caller: 'desk', credential, operator: null }],
      desks: Object.fromEntries(DESKS.map((service, index) => [service, hosts[index] as DeskHost])),
      health: async () => ({ ready: true, services: {} }),
      metrics: new Metrics('admin'),
      log,
      clock: systemClock,
    });
    const urls = Object.fromEntries(DESKS.map((service) => [service, server.baseUrl])) as Record<DeskName, string>;
    await writeFolderAdmin(folder, { operator: null, credential, urls });
    return new AdminServer(server, hosts, folder);
  }

  /** From here on commands work on the tables. */
  async stop(): Promise<void> {
    await removeFolderAdmin(this.folder);
    // Together: the server waits for the answers of the desks' calls.
    await Promise.all([this.server.stop(), ...this.hosts.map((host) => host.close())]);
  }
}

function groundOf({ settings, currencies, server, secrets, providers }: Ground, service: DeskName): DeskGround {
  const log = loggerOf(settings, `${service}-desk`);
  return {
    settings,
    currencies,
    database: deskDatabase({ host: server.host, port: server.port, name: DATABASE }, service, secrets, log, STATEMENT_TIMEOUT_MS),
    get cipher() { return secrets.cipherOf(service); },
    get keyPepper() { return secrets.keyPepper; },
    clock: systemClock,
    log,
    rails: providers.map(({ id }) => id),
    providers,
  }; // prettier-ignore
}
