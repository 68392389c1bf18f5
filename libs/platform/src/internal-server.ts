import type { InternalApi, InternalHandlers } from '@vuka/contracts';

import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import type { Health } from './service.js';

/** Who may call: the name is for logs. Two entries of one caller are a credential and its successor. */
export interface AcceptedCaller {
  readonly caller: string;
  /** At least 32 characters without spaces. */
  readonly credential: string;
}

export interface InternalServerOptions<A extends InternalApi> {
  readonly service: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** What is answered; a service that nobody calls has neither. */
  readonly api?: A;
  readonly handlers?: InternalHandlers<A>;
  readonly accept: readonly AcceptedCaller[];
  /** For GET /health/ready; bounded here. */
  readonly health: () => Promise<Health>;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly clock: Clock;
  /** Calls at work at once; one more is answered 503 before anything is done. */
  readonly maxInFlight?: number;
  /** How long stop() lets calls in flight go on, milliseconds. */
  readonly drainMs?: number;
}

export interface InternalServer {
  /** `http://127.0.0.1:4001`: where others reach it from this machine. */
  readonly baseUrl: string;
  /** Not ready at once, takes no new call, lets those in flight end, closes. Bounded; may be called twice. */
  stop(): Promise<void>;
}

/** Serves a service's operations, its health and its metrics to the other services and to the platform that runs it. */
export async function startInternalServer<A extends InternalApi>(_options: InternalServerOptions<A>): Promise<InternalServer> {
  throw new Error('not yet');
}
