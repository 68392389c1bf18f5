import type { InternalApi, InternalClient } from '@vuka/contracts';

import type { Clock } from './clock.js';
import type { InternalServices } from './in-process-services.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';

export interface HttpServicesOptions {
  /** Each service that is called: its internal address, `http://payments:4001`. */
  readonly urls: Readonly<Record<string, string>>;
  /** What this service shows the others. */
  readonly credential: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Internal calls to services that run apart, over HTTP. Errors of a call: those of InProcessServices. */
export class HttpServices implements InternalServices {
  constructor(protected readonly options: HttpServicesOptions) {}

  /** Throws where no URL of that service was given. */
  client<A extends InternalApi>(_api: A): InternalClient<A> {
    throw new Error('not yet');
  }

  /** What calls have shown of each service: true, or why it is not called at the moment. */
  states(): Readonly<Record<string, true | string>> {
    return {};
  }

  /** Asks each service whether it is ready, within a second: true, or why not. For checks that tell and do not decide. */
  async checks(): Promise<Readonly<Record<string, true | string>>> {
    return {};
  }

  /** Takes no new call and closes every connection once those in flight have ended. Bounded. */
  async close(): Promise<void> {}
}
