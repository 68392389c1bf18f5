import 'reflect-metadata';

import { checkChainSettings, loadSettings } from '@vuka/config';
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

async function main(): Promise<void> {
  try {
    const settings = loadSettings(process.env);
    checkChainSettings(settings);
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
