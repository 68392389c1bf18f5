import 'reflect-metadata';

import { checkChainSettings, type EmbeddedSettings, loadSettings, machineFacts, refuseUnsafe } from '@vuka/config';
import { armCrashPoint, BootError, Lifetime, SettingsError } from '@vuka/runtime';

const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const tellFailure = (error: unknown): void => void process.stderr.write(explain(error));

function explain(error: unknown): string {
  if (error instanceof BootError) {
    const cause =
      process.env['LOG_LEVEL'] === 'debug' && error.cause instanceof Error ? `\n${error.cause.stack ?? ''}\n` : '';
    return `\n✗ ${error.message}\n  ${error.advice}\n${cause}`;
  }
  return `\n✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}

/** Its servers are on this machine, and their secrets are made here. Throws SettingsError. */
function tellRisks(settings: EmbeddedSettings): void {
  const servers = { database: null, kafka: null, redis: null };
  const nothing = { internalAddresses: [], providerUrls: [], chosenSecrets: [] };
  const facts = { settings, ...servers, ...nothing, machine: machineFacts(process.env) };
  for (const { name, says } of refuseUnsafe(settings, facts, 'standalone'))
    tell(`  ! this risk was accepted in VUKA_ACCEPT_RISK (${name}): ${says}`);
}

async function main(): Promise<void> {
  try {
    const settings = loadSettings(process.env);
    checkChainSettings(settings);
    tellRisks(settings);
    // Imported only after the settings were read, so that a wrong setting is reported at once.
    const { EmbeddedVuka } = await import('./embedded-vuka.js');
    new Lifetime(new EmbeddedVuka(settings, tell), {
      started: () => armCrashPoint(settings.crashAt),
      stopping: (signal) => tell(`\n${signal}: stopping (repeat to stop at once)`),
      stopped: () => tell('Vuka has stopped.'),
      failed: tellFailure,
    }).begin();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`\n✗ ${error.message}\n  Correct the setting (README.md lists them all) and start again.\n`);
    process.exitCode = 1;
  }
}

await main();
