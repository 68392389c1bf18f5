import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

import type { Settings } from '@vuka/config';
import { fail, ok, type Result } from '@vuka/domain';
import { Agent, buildConnector } from 'undici';

import { isAllowedAddress } from './outbound-addresses.js';
import { dnsResolver, NameUnresolvedError, sandboxResolver, type ResolveName } from './outbound-names.js';

export type { ResolveName } from './outbound-names.js';

/** Which addresses chosen by partners may be called. */
export interface OutboundPolicy {
  /** Allows http, loopback and private networks; for the sandbox. */
  readonly allowPrivate: boolean;
  /** Allows ports other than 443 and 8443. Default: allowPrivate. */
  readonly anyPort?: boolean;
}

const LONGEST_URL = 2_048;
const LIVE_PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

/** DNS labels of letters, digits, hyphens and underscores. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const METADATA_NAMES =
  /^(metadata\.google\.internal|metadata\.goog|metadata|instance-data|instance-data\.ec2\.internal)$/;
const NOT_PUBLIC_NAMES = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** The message names the rule, never the address, so that it reveals nothing. */
export class OutboundBlockedError extends Error {
  override readonly name = 'OutboundBlockedError';
  readonly code = 'OUTBOUND_BLOCKED';
}

export function outboundPolicy(settings: Pick<Settings, 'env' | 'webhookAllowPrivate'>): Required<OutboundPolicy> {
  return { allowPrivate: settings.webhookAllowPrivate, anyPort: settings.env === 'sandbox' };
}

/**
 * Checks the text of a URL; the error is the broken rule. Resolved addresses can change, so createOutboundAgent
 * checks them at each connection.
 */
export function checkPublicUrl(text: string, policy: OutboundPolicy): Result<URL, string> {
  if (text.length > LONGEST_URL) return fail(`must have at most ${LONGEST_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // This parser drops or converts these characters; another parser may not.
  if (url === undefined || /[\s\\\p{Cc}]/u.test(text)) return fail('must be an absolute URL');
  if (url.protocol !== 'https:' && !(policy.allowPrivate && url.protocol === 'http:')) {
    return fail(policy.allowPrivate ? 'must begin with https:// or http://' : 'must begin with https://');
  }
  // Checked on the text: the parser would accept `https:x` and `https:///x`, and hide the user in `https://@x`.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return fail('must be an absolute URL');
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return fail('must not carry a user name or password');
  if (url.port === '0') return fail('must not use port 0');
  if (!(policy.anyPort ?? policy.allowPrivate) && !LIVE_PORTS.has(url.port)) return fail('must use port 443 or 8443');
  return isAllowedHost(url.hostname, policy.allowPrivate) ? ok(url) : fail('must point to a public host');
}

/** WHATWG URL has already turned every IPv4 spelling into dotted decimal. */
function isAllowedHost(hostname: string, allowPrivate: boolean): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isAllowedAddress(address, allowPrivate);
  const name = hostname.replace(/\.$/, '');
  if (!NAME.test(name) || METADATA_NAMES.test(name)) return false;
  return allowPrivate || (name.includes('.') && !NOT_PUBLIC_NAMES.test(name));
}

/** Connects only to the given addresses. `options` says which certificate is expected. */
export type ConnectTo = (
  destination: { readonly addresses: readonly LookupAddress[]; readonly timeoutMs: number },
  options: buildConnector.Options,
  callback: buildConnector.Callback,
) => void;

export interface OutboundAgentOptions extends OutboundPolicy {
  /** Milliseconds: for resolving plus connecting, for headers, and for each further part of a body. */
  readonly timeoutMs: number;
  /** Default: DNS; in the sandbox with localhost names and the hosts file first. */
  readonly resolve?: ResolveName;
  readonly connectTo?: ConnectTo;
}

/** The name is resolved again after this time, however busy the connection is. */
export const CONNECTION_LIFE_MS = 10_000;

/**
 * An undici agent for URLs chosen by partners. Before each connection it checks the URL again and resolves the name
 * once. Every address must be allowed, and it connects only to these. So a name cannot change between check and use.
 * It follows no redirect and bounds what it reads.
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
    // Resolving may take half, so that time is left to connect.
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

/** The URL's address, or all addresses of its name. Rejects if any of them is not allowed. */
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

/** Bounds a resolver that never answers and ignores its signal. */
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
      // An answer that has already arrived goes first.
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
 * Milliseconds until the next address of a name is tried. Node's 250 ms gives up on distant receivers. The last
 * address is often IPv6, which we may not have.
 */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** net.connect calls this instead of DNS. For an IP literal it connects directly. */
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
