import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Result } from '@vuka/domain';
import { type AskReadiness, type Readiness, READINESS } from '@vuka/service-host';

import { withTimeout } from '../calls/index.js';
import { Draining } from '../http/index.js';

export interface ReadinessView {
  readonly status: 'ready';
  readonly checks: Readiness['checks'];
}

const WAIT_MS = 2_000;

function notReady(why: string): Result<never> {
  return fail({ code: 'service_unavailable', message: `Not ready: ${why}` });
}

/** Errors: service_unavailable, naming what is missing. */
@Injectable()
export class CheckReadiness {
  private asking: Promise<Readiness | null> | undefined;

  constructor(
    private readonly draining: Draining,
    @Inject(READINESS) private readonly readiness: AskReadiness,
  ) {}

  async run(): Promise<Result<ReadinessView>> {
    if (this.draining.now) return notReady('shutting down');
    // Shared by all askers: it asks every service, and needs no key.
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    const readiness = await this.asking;
    if (readiness === null) return notReady('the services could not be asked');
    const missing = Object.entries(readiness.checks).filter(([, state]) => state !== true);
    if (readiness.ready) return ok({ status: 'ready', checks: readiness.checks });
    return notReady(missing.map(([name, why]) => `${name} (${String(why)})`).join(', ') || 'starting');
  }

  private async ask(): Promise<Readiness | null> {
    try {
      return await withTimeout(WAIT_MS, 'readiness', this.readiness());
    } catch {
      return null;
    }
  }
}
