import { fail, ok, type Result } from '@vuka/domain';

import { within } from './within.js';

/** What the composition knows of its services: true, or why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, true | string>>;
}

export interface ReadinessView {
  readonly status: 'ready';
  readonly checks: Readiness['checks'];
}

export interface CheckReadinessOptions {
  readonly readiness: () => Promise<Readiness>;
  readonly draining: { readonly now: boolean };
}

const WAIT_MS = 2_000;

function notReady(why: string): Result<never> {
  return fail({ code: 'service_unavailable', message: `Not ready: ${why}` });
}

/** Whether this process should be given traffic. Errors: service_unavailable, naming what is missing. */
export class CheckReadiness {
  private asking: Promise<Readiness | null> | undefined;

  constructor(private readonly options: CheckReadinessOptions) {}

  async run(): Promise<Result<ReadinessView>> {
    if (this.options.draining.now) return notReady('shutting down');
    // One round for all who ask meanwhile: it asks every service, and anybody may ask without a key.
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    const readiness = await this.asking;
    if (readiness === null) return notReady('the services could not be asked');
    const missing = Object.entries(readiness.checks).filter(([, state]) => state !== true);
    if (readiness.ready) return ok({ status: 'ready', checks: readiness.checks });
    return notReady(missing.map(([name, why]) => `${name} (${String(why)})`).join(', ') || 'starting');
  }

  private async ask(): Promise<Readiness | null> {
    try {
      return await within(WAIT_MS, 'readiness', this.options.readiness());
    } catch {
      return null;
    }
  }
}
