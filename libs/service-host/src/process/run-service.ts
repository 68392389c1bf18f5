import { armCrashPoint, BootError, createLogger, Lifetime, type Logger, SettingsError } from '@vuka/runtime';

import type { ServiceDefinition } from '../service-context.js';
import { ServiceProcess } from './service-process.js';
import { loadServiceSettings, type ServiceSettings } from './service-settings.js';

const USAGE = 'takes no argument, or --migrate, which updates the schema, starts nothing, and ends with 0 or 1';

/** Exits 0 after an orderly stop, else 1. Logs JSON lines to standard output. */
export async function runService(definition: ServiceDefinition): Promise<void> {
  const [argument, ...more] = process.argv.slice(2);
  if ((argument !== undefined && argument !== '--migrate') || more.length > 0)
    return giveUp(`${definition.name} ${USAGE}`);
  const settings = await loadServiceSettings(process.env, definition.name).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    giveUp(`${error.message}\n  Correct the setting (docs/operators/settings.md lists them all) and start again.`);
  });
  if (settings === undefined) return;
  const log = createLogger(definition.name, { level: settings.logLevel });
  if (argument === '--migrate') await migrateAndExit(definition, settings, log);
  else live(definition, settings, log);
}

function live(definition: ServiceDefinition, settings: ServiceSettings, log: Logger): void {
  const program = new ServiceProcess({ definition, settings, log, onFatal: (error) => lifetime.fail(error) });
  const lifetime = new Lifetime(program, {
    started: () => armCrashPoint(settings.crashAt),
    stopping: (signal) => log.info({ signal }, 'stopping'),
    stopped: () => log.info('stopped'),
    failed: (error) => tellFailure(log, error),
  });
  lifetime.begin();
}

async function migrateAndExit(definition: ServiceDefinition, settings: ServiceSettings, log: Logger): Promise<void> {
  const program = new ServiceProcess({ definition, settings, log, onFatal: (error) => tellFailure(log, error) });
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
