import 'reflect-metadata';

import { SettingsError, armCrashPoint, loadSettings } from '@vuka/platform';

import { BootError } from './boot-error.js';
import { StoppedWhileStarting } from './boot-steps.js';
import { EmbeddedVuka } from './embedded-vuka.js';

const STOP_LIMIT_MS = 10_000;
/** A Ctrl-C under `npm start` arrives twice: from the terminal, and from npm, which passes it on. */
const SAME_CTRL_C_MS = 500;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

/** Ends the process: 0 after an orderly stop, 1 where starting, running or stopping failed, 128 + signal when hurried. */
class Lifetime {
  private stoppingSince: number | undefined;

  constructor(private readonly vuka: EmbeddedVuka) {}

  begin(): void {
    for (const [signal, number] of Object.entries(SIGNALS)) {
      process.on(signal, () => this.onSignal(signal, number));
    }
    process.on('uncaughtException', (error) => this.fail(error));
    this.vuka.start().catch((error: unknown) => {
      if (!(error instanceof StoppedWhileStarting)) this.fail(error);
    });
  }

  private onSignal(signal: string, number: number): void {
    if (this.stoppingSince === undefined) {
      tell(`\n${signal}: stopping (again to hurry)`);
      this.stop(0);
    } else if (Date.now() - this.stoppingSince > SAME_CTRL_C_MS) {
      process.exit(128 + number);
    }
  }

  private fail(error: unknown): void {
    process.stderr.write(explain(error));
    if (this.stoppingSince === undefined) this.stop(1);
  }

  private stop(exitCode: number): void {
    this.stoppingSince = Date.now();
    this.vuka.stop(STOP_LIMIT_MS).then(
      () => {
        if (exitCode === 0) tell('Vuka has stopped.');
        process.exit(exitCode);
      },
      (error: unknown) => {
        process.stderr.write(explain(error));
        process.exit(1);
      },
    );
  }
}

function explain(error: unknown): string {
  if (error instanceof BootError) {
    const cause = process.env['LOG_LEVEL'] === 'debug' && error.cause instanceof Error ? `\n${error.cause.stack ?? ''}\n` : '';
    return `\n✗ ${error.message}\n  ${error.advice}\n${cause}`;
  }
  return `\n✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}

function main(): void {
  // A closed terminal or pipe takes the words away, not the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    const settings = loadSettings(process.env);
    armCrashPoint(settings.crashAt);
    new Lifetime(new EmbeddedVuka(settings, tell)).begin();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`\n✗ ${error.message}\n  Correct the setting (README.md lists them all) and start again.\n`);
    process.exitCode = 1;
  }
}

main();
