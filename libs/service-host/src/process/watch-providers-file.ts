import type { Logger } from '@vuka/runtime';

import type { OpenedProviders } from './open-providers.js';

const EVERY_MS = 10_000;
/** A refused file is told again. */
const SAID_EVERY_MS = 60_000;

/** Reads the providers file anew while the service runs: a mount changes without a signal. */
export class ProvidersFileWatch {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private refused: { readonly why: string; readonly saidMs: number } | null = null;

  constructor(
    private readonly providers: Pick<OpenedProviders, 'readAgain'>,
    private readonly log: Logger,
    private readonly nowMs: () => number,
    private readonly everyMs = EVERY_MS,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.look(), this.everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Calls during one look share it. */
  look(): Promise<void> {
    return (this.looking ??= this.read().finally(() => {
      this.looking = undefined;
    }));
  }

  private async read(): Promise<void> {
    try {
      const found = await this.providers.readAgain();
      if (found.kind === 'refused') return this.sayRefused(found.why);
      this.refused = null;
      if (found.kind === 'taken')
        this.log.warn(
          { code: 'providers_file_taken', routes: found.routes },
          'the providers file is in force as it is now',
        );
    } catch (error) {
      this.sayRefused(error instanceof Error ? error.message : 'it could not be read');
    }
  }

  private sayRefused(why: string): void {
    const nowMs = this.nowMs();
    if (this.refused?.why === why && nowMs - this.refused.saidMs < SAID_EVERY_MS) return;
    this.refused = { why, saidMs: nowMs };
    this.log.error(
      { code: 'providers_file_refused', why },
      'the providers file has changed and is not taken: what was in force stays',
    );
  }
}
