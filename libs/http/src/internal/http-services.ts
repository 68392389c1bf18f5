import type { CallContext, InternalApi, InternalClient } from '@vuka/contracts';
import { type Clock, type Logger, type Metrics, SettingsError } from '@vuka/runtime';

import { countCalls, type CountCall } from './call-metrics.js';
import type { InternalServices } from './in-process-services.js';
import { ServiceLink } from './service-link.js';

export interface HttpServicesOptions {
  /** `http://payments:4001` */
  readonly urls: Readonly<Record<string, string>>;
  /** What is shown to each, by service name. Nothing where each call brings a person's. */
  readonly credentials: Readonly<Record<string, string>>;
  /** PEM: whose certificates are believed behind https. Absent: Node's own list. */
  readonly ca?: string | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Milliseconds; default 30,000. */
  readonly connectionLifeMs?: number;
}

/** Bounds how long a changed DNS address goes unnoticed. */
const CONNECTION_LIFE_MS = 30_000;
const CLOSE_WITHIN_MS = 5_000;
/** Anybody may ask a gateway for readiness, without a key. */
const CHECKS_KEPT_MS = 1_000;

type Checks = Readonly<Record<string, true | string>>;

/** Errors of a call are those of InProcessServices; `sent` says whether the request was written. */
export class HttpServices implements InternalServices {
  private readonly links: ReadonlyMap<string, ServiceLink>;
  private readonly count: CountCall;
  private checked: { readonly at: number; readonly checks: Promise<Checks> } | undefined;

  /** Throws SettingsError. */
  constructor(options: HttpServicesOptions) {
    const { urls, credentials, log, clock, metrics, ca, connectionLifeMs = CONNECTION_LIFE_MS } = options;
    this.count = countCalls(metrics);
    const links = Object.entries(urls).map(([service, url]) => {
      const credential = credentials[service] ?? '';
      const origin = originOf(service, url);
      const link = new ServiceLink({ service, origin, credential, ca, log, clock, metrics, connectionLifeMs });
      return [service, link] as const;
    });
    this.links = new Map(links);
  }

  /** Throws without a URL for the service. */
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

  states(): Checks {
    return Object.fromEntries([...this.links].map(([service, link]) => [service, link.state]));
  }

  /** Takes at most a second. Informative only. */
  checks(): Promise<Checks> {
    const now = performance.now();
    if (this.checked === undefined || now - this.checked.at > CHECKS_KEPT_MS)
      this.checked = { at: now, checks: this.askAll() };
    return this.checked.checks;
  }

  /** Waits for calls in flight, at most 5 s. */
  async close(): Promise<void> {
    await Promise.all([...this.links.values()].map((link) => link.close(CLOSE_WITHIN_MS)));
  }

  private async askAll(): Promise<Checks> {
    const asked = [...this.links].map(async ([service, link]) => [service, await link.ready()] as const);
    return Object.fromEntries(await Promise.all(asked));
  }
}

/** Refuses a path, and a password that could get into a log. */
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
