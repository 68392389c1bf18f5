import { fail, ok, type Result } from '@vuka/domain';
import { answerWithin } from '@vuka/runtime';

import { within } from '../calls/index.js';

/**
 * What the composition knows of its services: true, or why not. `ready` is its judgement, and need not be that all checks are
 * true: where services run apart, one that is away takes its own operations along and nothing else.
 */
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

type Checks = Readiness['checks'];

/** How long this process is asked about itself, and the others together, milliseconds: below what the whole answer has. */
const EACH_WAIT_MS = 1_200;

/**
 * The readiness of a gateway whose services run apart: that of `own` alone, which is what every answer needs. What the others are
 * is told and decides nothing; else one that is dead would take every gateway out of service.
 */
export async function readinessApart(
  own: () => Promise<true | string>,
  others: () => Promise<Checks>,
): Promise<Readiness> {
  const [gateway, rest] = await Promise.all([
    asked(own, (why) => why),
    asked(others, (why): Checks => ({ services: why })),
  ]);
  return { ready: gateway === true, checks: { gateway, ...rest } };
}

async function asked<T>(question: () => Promise<T>, unanswered: (why: string) => T): Promise<T> {
  try {
    return await answerWithin(EACH_WAIT_MS, question(), unanswered(`no answer in ${String(EACH_WAIT_MS)} ms`));
  } catch (error) {
    return unanswered(error instanceof Error ? error.name : 'failed');
  }
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
