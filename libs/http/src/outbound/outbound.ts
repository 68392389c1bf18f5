import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

import type { Settings } from '@vuka/config';
import { fail, ok, type Result } from '@vuka/domain';
import { Agent, buildConnector } from 'undici';

import { isAllowedAddress } from './outbound-addresses.js';
import { dnsResolver, NameUnresolvedError, sandboxResolver, type ResolveName } from './outbound-names.js';

export type { ResolveName } from './outbound-names.js';

/** Where calls to addresses that partners chose may go. */
export interface OutboundPolicy {
  /** http, loopback and private networks too; for the sandbox. */
  readonly allowPrivate: boolean;
  /** Any port, not only 443 and 8443; follows allowPrivate when absent. */
  readonly anyPort?: boolean;
}

const LONGEST_URL = 2_048;
const LIVE_PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

/** A host name that DNS can carry: labels of letters, digits, hyphens and underscores. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const METADATA_NAMES =
  /^(metadata\.google\.internal|metadata\.goog|metadata|instance-data|instance-data\.ec2\.internal)$/;
const NOT_PUBLIC_NAMES = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** The address is not one we may connect to. The message says which rule, never where it would have gone. */
export class OutboundBlockedError extends Error {
  override readonly name = 'OutboundBlockedError';
  readonly code = 'OUTBOUND_BLOCKED';
}

export function outboundPolicy(settings: Pick<Settings, 'env' | 'webhookAllowPrivate'>): Required<OutboundPolicy> {
  return { allowPrivate: settings.webhookAllowPrivate, anyPort: settings.env === 'sandbox' };
}

/**
 * Whether a URL may be called, as far as its text tells; the error is the rule it breaks. What its name
 * resolves to is checked at each connection (createOutboundAgent), since that changes.
 */
export function checkPublicUrl(text: string, policy: OutboundPolicy): Result<URL, string> {
  if (text.length > LONGEST_URL) return fail(`must have at most ${LONGEST_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The parser drops or turns round what these stand for; another parser may not.
  if (url === undefined || /[\s\\\p{Cc}]/u.test(text)) return fail('must be an absolute URL');
  if (url.protocol !== 'https:' && !(policy.allowPrivate && url.protocol === 'http:')) {
    return fail(policy.allowPrivate ? 'must begin with https:// or http://' : 'must begin with https://');
  }
  // As it stands: the parser would also find a host in `https:x` and `https:///x`, and no user in `https://@x`.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return fail('must be an absolute URL');
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return fail('must not carry a user name or password');
  if (url.port === '0') return fail('must not use port 0');
  if (!(policy.anyPort ?? policy.allowPrivate) && !LIVE_PORTS.has(url.port)) return fail('must use port 443 or 8443');
  return isAllowedHost(url.hostname, policy.allowPrivate) ? ok(url) : fail('must point to a public host');
}

/** `hostname` as WHATWG URL leaves it: every spelling of an IPv4 address is dotted decimal by then. */
function isAllowedHost(hostname: string, allowPrivate: boolean): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isAllowedAddress(address, allowPrivate);
  const name = hostname.replace(/\.$/, '');
  if (!NAME.test(name) || METADATA_NAMES.test(name)) return false;
  return allowPrivate || (name.includes('.') && !NOT_PUBLIC_NAMES.test(name));
}

/** Opens a connection to one of these addresses and to no other. `options` says whose certificate it must show. */
export type ConnectTo = (
  destination: { readonly addresses: readonly LookupAddress[]; readonly timeoutMs: number },
  options: buildConnector.Options,
  callback: buildConnector.Callback,
) => void;

export interface OutboundAgentOptions extends OutboundPolicy {
  /** Bound of resolving and connecting together, of the wait for headers and of each wait for more of a body, milliseconds. */
  readonly timeoutMs: number;
  /** DNS where absent, and in the sandbox localhost names and the hosts file before it. */
  readonly resolve?: ResolveName;
  /** Sockets where absent. */
  readonly connectTo?: ConnectTo;
}

/** A connection serves for no longer before its name is asked for again, however busy it is. */
export const CONNECTION_LIFE_MS = 10_000;

/**
 * An undici agent for addresses that partners chose. Before each connection its URL's rules are applied once more and
 * its name is resolved once; every address must be one we may connect to, and the connection goes to these and no other, so
 * a name cannot change between check and use. It follows no redirect and bounds what it reads.
 */
export function createOutboundAgent({
  timeoutMs,
  resolve,
  connectTo = connectToPinned,
  ...policy
}: OutboundAgentOptions): Agent {
  const resolveName = resolve ?? (policy.allowPrivate ? sandboxResolver(dnsResolver()) : dnsResolver());
  const connect: buildConnector.connector = (options, callback) => {
    const startedAt = performance.now();
    // Half for the name, so that what does not answer leaves time to connect to what did.
    checkedAddresses(options, policy, { resolveName, withinMs: timeoutMs / 2 })
      .then((addresses) =>
        connectTo(
          { addresses, timeoutMs: Math.max(1, timeoutMs - (performance.now() - startedAt)) },
          options,
          callback,
        ),
      )
      .catch((error: unknown) => callback(error as Error, null));
  };
  return new Agent({
    connect,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: 65_536,
    connections: 32,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: CONNECTION_LIFE_MS,
    clientTtl: CONNECTION_LIFE_MS,
  });
}

/** Where a connection may go: the address in the URL, or all that its name resolves to. Rejects where any may not be. */
async function checkedAddresses(
  { hostname, protocol, port }: buildConnector.Options,
  policy: OutboundPolicy,
  { resolveName, withinMs }: { readonly resolveName: ResolveName; readonly withinMs: number },
): Promise<readonly LookupAddress[]> {
  const family = isIP(hostname);
  const checked = checkPublicUrl(`${protocol}//${family === 6 ? `[${hostname}]` : hostname}:${port}`, policy);
  if (!checked.ok) throw new OutboundBlockedError(`the URL ${checked.error}`);
  if (family !== 0) return [{ address: hostname, family }];
  const addresses = await resolveWithin(hostname, resolveName, withinMs);
  if (addresses.length === 0) throw new NameUnresolvedError('ENOTFOUND');
  if (addresses.some(({ address }) => !isAllowedAddress(address, policy.allowPrivate))) {
    throw new OutboundBlockedError('the name resolves to an address that is not public');
  }
  return addresses;
}

/** A resolver that never answers, and takes no notice of its signal, holds up nobody for longer. */
async function resolveWithin(
  name: string,
  resolveName: ResolveName,
  withinMs: number,
): Promise<readonly LookupAddress[]> {
  const waiting = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      waiting.abort();
      // What was found until then is answered first.
      setImmediate(() => reject(new NameUnresolvedError('EAI_AGAIN')));
    }, withinMs);
  });
  try {
    return await Promise.race([resolveName(name, waiting.signal), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Until the next address of a name is tried, milliseconds. Node's own quarter of a second gives up each but the last of a receiver that is half the world
 * away, and the last one is often IPv6, which we may not have.
 */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** net.connect asks this instead of DNS; about an IP literal it asks nothing and connects to that. */
const connectToPinned: ConnectTo = ({ addresses, timeoutMs }, options, callback) => {
  const lookup: LookupFunction = (_hostname, { all }, answer) => {
    const [first] = addresses;
    process.nextTick(() =>
      all === true || first === undefined ? answer(null, [...addresses]) : answer(null, first.address, first.family),
    );
  };
  const families = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS };
  buildConnector({ timeout: timeoutMs, ...families, lookup, maxCachedSessions: 0 })(options, callback);
};
