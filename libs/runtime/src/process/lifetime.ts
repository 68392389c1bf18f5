import { StoppedWhileStarting } from './boot-steps.js';

export interface Program {
  /** Rejects with StoppedWhileStarting if stop() came first; stop() cleans up failures. */
  start(): Promise<void>;
  /** Rejects with what did not stop in time. */
  stop(limitMs: number): Promise<void>;
  /** On SIGHUP. False, or absent: it has nothing to read anew, and stops. */
  readAgain?(): boolean;
}

export interface LifetimeTold {
  started?(): void;
  stopping(signal: string): void;
  stopped(): void;
  failed(error: unknown): void;
}

const STOP_LIMIT_MS = 10_000;
/** `npm start` passes Ctrl-C on, so it arrives twice. */
const SAME_CTRL_C_MS = 500;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Exit code: 0 orderly, 1 failed, 128 + signal when hurried. */
export class Lifetime {
  private stoppingSince: number | undefined;

  constructor(
    private readonly program: Program,
    private readonly told: LifetimeTold,
  ) {}

  begin(): void {
    // A closed terminal must not stop the service.
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

  /** Stops, exits with 1. */
  fail(error: unknown): void {
    this.told.failed(error);
    if (this.stoppingSince === undefined) this.stop(1);
  }

  private onSignal(signal: string, number: number): void {
    if (this.stoppingSince === undefined) {
      if (signal === 'SIGHUP' && this.program.readAgain?.() === true) return;
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
