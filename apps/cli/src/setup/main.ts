import { BootError, createLogger, SettingsError } from '@vuka/runtime';

import { prepareServers } from './prepare-servers.js';
import { seedPartners } from './seed-partners.js';
import { loadSetupSettings } from './setup-settings.js';
import { openSecrets, rotateCipher, writeSecrets } from './write-secrets.js';

/** `setup <step>`: prepares a deployment of separate services, before and after their start. Steps can be repeated. */
const STEPS = ['secrets', 'cipher-rotate', 'servers', 'sandbox'] as const;

async function main([step]: readonly string[]): Promise<void> {
  if (!(STEPS as readonly (string | undefined)[]).includes(step))
    throw new BootError(`There is no setup step ${step ?? '(none)'}.`, `One of ${STEPS.join(', ')}.`);
  const settings = loadSetupSettings(process.env);
  const log = createLogger('setup', { level: settings.logLevel });
  if (step === 'secrets') return writeSecrets(settings);
  if (step === 'cipher-rotate') return rotateCipher(settings);
  const secrets = await openSecrets(settings);
  if (step === 'servers') await prepareServers(settings, secrets, log);
  else await seedPartners(settings, secrets, log);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    const told =
      error instanceof BootError
        ? `${error.message}\n  ${error.advice}`
        : error instanceof SettingsError
          ? error.message
          : error instanceof Error
            ? (error.stack ?? error.message)
            : String(error);
    process.stderr.write(`\n✗ ${told}\n`);
    process.exit(1);
  },
);
