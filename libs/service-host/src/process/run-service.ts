import { armCrashPoint, BootError, createLogger, Lifetime, type Logger, SettingsError } from '@vuka/runtime';

import type { ServiceName } from '@vuka/contracts';

import type { ServiceDefinition } from '../service-context.js';
import type { ServiceProcess } from './service-process.js';
import { loadServiceSettings, type ServiceSettings } from './service-settings.js';

const USAGE = 'takes no argument, or --migrate, which updates the schema, starts nothing, and ends with 0 or 1';

/**
 * Exits 0 after an orderly stop, else 1. Logs JSON lines to standard output. The service is loaded only after the
 * settings were read, so that a wrong setting is told at once.
 */
export async function runService(name: ServiceName, load: () => Promise<ServiceDefinition>): Promise<void> {
  const [argument, ...more] = process.argv.slice(2);
  if ((argument !== undefined && argument !== '--migrate') || more.length > 0) return giveUp(`${name} ${USAGE}`);
  const settings = await loadServiceSettings(process.env, name).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    giveUp(`${error.message}\n  Correct the setting (docs/operators/settings.md lists them all) and start again.`);
  });
  if (settings === undefined) return;
  const log = createLogger(name, { level: settings.logLevel });
  const [definition, host] = await Promise.all([load(), import('./service-process.js')]);
  const programOf = (onFatal: (error: Error) => void): ServiceProcess =>
    new host.ServiceProcess({ definition, settings, log, onFatal });
  if (argument === '--migrate') await migrateAndExit(programOf, log);
  else live(programOf, settings, log);
}

type Make = (onFatal: (error: Error) => void) => ServiceProcess;

function live(make: Make, settings: ServiceSettings, log: Logger): void {
  const lifetime: Lifetime = new Lifetime(
    make((error) => lifetime.fail(error)),
    {
      started: () => armCrashPoint(settings.crashAt),
      stopping: (signal) => log.info({ signal }, 'stopping'),
      stopped: () => log.info('stopped'),
      failed: (error) => tellFailure(log, error),
    },
  );
  lifetime.begin();
}

async function migrateAndExit(make: Make, log: Logger): Promise<void> {
  const program = make((error) => tellFailure(log, error));
  try {
    await program.migrate();
    process.exit(0);
  } catch (error) {
    tellFailure(log, error);
    process.exit(1);
  }
}

function tellFailure(log: Logger, error: unknown): void {
  const advice = error instanceof BootError ? { advice: error.advice } : {};
  log.error({ code: 'service_failed', err: error, ...advice }, 'this service cannot start or must stop');
}

function giveUp(why: string): void {
  process.stderr.write(`\n✗ ${why}\n`);
  process.exitCode = 1;
}
