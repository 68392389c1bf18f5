import type { CallContext, InternalApi, InternalClient } from '@vuka/contracts';
import { type Clock, type Logger, type Metrics, SettingsError } from '@vuka/runtime';

import { countCalls, type CountCall } from './call-metrics.js';
import type { InternalServices } from './in-process-services.js';
import { ServiceLink } from './service-link.js';

export interface HttpServicesOptions {
  /** Each service that is called: its internal address, `http://payments:4001`. */
  readonly urls: Readonly<Record<string, string>>;
  /** What this service shows the others. */
  readonly credential: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** How long a connection is used at most, milliseconds; 30 s unless told otherwise. */
  readonly connectionLifeMs?: number;
}

/** A name that has moved to another address is followed within this. */
const CONNECTION_LIFE_MS = 30_000;
const CLOSE_WITHIN_MS = 5_000;
/** What services said of themselves counts so long: anybody may ask a gateway for it, without a key. */
const CHECKS_KEPT_MS = 1_000;

type Checks = Readonly<Record<string, true | string>>;

/**
 * Internal calls to services that run apart, over HTTP. Errors of a call are those of InProcessServices, and say by `sent`
 * whether it was written at all. Each service has a circuit of its own, so that one that is away takes nothing along.
 */
export class HttpServices implements InternalServices {
  private readonly links: ReadonlyMap<string, ServiceLink>;
  private readonly count: CountCall;
  private checked: { readonly at: number; readonly checks: Promise<Checks> } | undefined;

  /** Throws SettingsError where a URL is none. */
  constructor({ urls, credential, log, clock, metrics, connectionLifeMs = CONNECTION_LIFE_MS }: HttpServicesOptions) {
    this.count = countCalls(metrics);
    const links = Object.entries(urls).map(([service, url]) => {
      const options = { service, origin: originOf(service, url), credential, log, clock, metrics, connectionLifeMs };
      return [service, new ServiceLink(options)] as const;
    });
    this.links = new Map(links);
  }

  /** Throws where no URL of that service was given. */
  client<A extends InternalApi>(api: A): InternalClient<A> {
    const link = this.links.get(api.service);
    if (link === undefined) throw new SettingsError(`the internal address of ${api.service} is not set`);
    const calls = Object.entries(api.operations).map(([name, operation]) => {
      const call = link.caller(name, operation);
      return [
        name,
        (input: unknown, context: CallContext) => this.count(api.service, name, () => call(input, context)),
      ];
    });
    return Object.fromEntries(calls) as InternalClient<A>;
  }

  /** What calls have shown of each service: true, or why it is not called at the moment. */
  states(): Checks {
    return Object.fromEntries([...this.links].map(([service, link]) => [service, link.state]));
  }

  /**
   * Asks each service whether it is ready, within a second: true, or why not. Asked again at most once a second. For checks that
   * tell and do not decide.
   */
  checks(): Promise<Checks> {
    const now = performance.now();
    if (this.checked === undefined || now - this.checked.at > CHECKS_KEPT_MS)
      this.checked = { at: now, checks: this.askAll() };
    return this.checked.checks;
  }

  /** Takes no new call and closes every connection once those in flight have ended, 5 s at most. */
  async close(): Promise<void> {
    await Promise.all([...this.links.values()].map((link) => link.close(CLOSE_WITHIN_MS)));
  }

  private async askAll(): Promise<Checks> {
    const asked = [...this.links].map(async ([service, link]) => [service, await link.ready()] as const);
    return Object.fromEntries(await Promise.all(asked));
  }
}

/** Of a URL that is an address and nothing else: no path, and no password that would come to lie in a log. */
function originOf(service: string, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new SettingsError(`the internal address of ${service} must be http://host:port`);
  const { username, password, pathname, search, hash } = parsed;
  if (username + password + search + hash !== '' || pathname !== '/') {
    throw new SettingsError(`the internal address of ${service} must be http://host:port and nothing else`);
  }
  return parsed.origin;
}
