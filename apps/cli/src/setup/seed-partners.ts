import { join } from 'node:path';

import { type Secrets, seedSandbox, SETUP, setupCredentials, writeSandboxFile } from '@vuka/data-folder';
import { HttpServices } from '@vuka/http';
import { type Logger, Metrics, systemClock } from '@vuka/runtime';

import type { SetupSettings } from './setup-settings.js';

/** Makes the sandbox's partners over the services' APIs and writes sandbox.json. Can be repeated. */
export async function seedPartners(
  { urls, baseUrl, sandboxFolder }: SetupSettings,
  secrets: Secrets,
  log: Logger,
): Promise<void> {
  const services = new HttpServices({
    urls,
    credentials: setupCredentials(secrets),
    log,
    clock: systemClock,
    metrics: new Metrics(SETUP),
  });
  try {
    const partners = await seedSandbox(services, secrets);
    const file = join(sandboxFolder, 'sandbox.json');
    await writeSandboxFile(file, { base_url: baseUrl, docs_url: `${baseUrl}/docs`, partners });
    log.info(
      { base_url: baseUrl, file, partners: partners.map(({ id, name }) => ({ id, name })) },
      'the sandbox is ready; the file holds its keys',
    );
  } finally {
    await services.close();
  }
}
