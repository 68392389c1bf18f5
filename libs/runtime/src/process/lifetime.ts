import { StoppedWhileStarting } from './boot-steps.js';

/** What a process is there for. */
export interface Program {
  /** Resolves when it works. Rejects with StoppedWhileStarting where stop() came first; stop() tidies up after every failure. */
  start(): Promise<void>;
  /** Rejects with what did not stop in time. */
  stop(limitMs: number): Promise<void>;
}

/** What becomes of it, for whoever reads it. */
export interface LifetimeTold {
  /** It works now. */
  started?(): void;
  stopping(signal: string): void;
  stopped(): void;
  failed(error: unknown): void;
}

const STOP_LIMIT_MS = 10_000;
/** A Ctrl-C under `npm start` arrives twice: from the terminal, and from npm, which passes it on. */
const SAME_CTRL_C_MS = 500;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Ends the process: 0 after an orderly stop, 1 where starting, running or stopping failed, 128 + signal when hurried. */
export class Lifetime {
  private stoppingSince: number | undefined;

  constructor(
    private readonly program: Program,
    private readonly told: LifetimeTold,
  ) {}

  begin(): void {
    // A closed terminal or pipe takes the words away, not the service.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    for (const [signal, number] of Object.entries(SIGNALS)) {
      process.on(signal, () => this.onSignal(signal, number));
    }
    process.on('uncaughtException', (error) => this.fail(error));
    const started = this.program.start().then(() => {
      if (this.stoppingSince === undefined) this.told.started?.();
    });
    started.catch((error: unknown) => {
      if (!(error instanceof StoppedWhileStarting)) this.fail(error);
    });
  }

  /** It cannot go on: stops in order and ends with 1. What fails while it stops is only told. */
  fail(error: unknown): void {
    this.told.failed(error);
    if (this.stoppingSince === undefined) this.stop(1);
  }

  private onSignal(signal: string, number: number): void {
    if (this.stoppingSince === undefined) {
      this.told.stopping(signal);
      this.stop(0);
    } else if (performance.now() - this.stoppingSince > SAME_CTRL_C_MS) {
      process.exit(128 + number);
    }
  }

  private stop(exitCode: number): void {
    this.stoppingSince = performance.now();
    this.program.stop(STOP_LIMIT_MS).then(
      () => {
        if (exitCode === 0) this.told.stopped();
        process.exit(exitCode);
      },
      (error: unknown) => {
        this.told.failed(error);
        process.exit(1);
      },
    );
  }
}
