import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

import type { Settings } from '@vuka/config';
import { fail, ok, type Result } from '@vuka/domain';
import { Agent, buildConnector } from 'undici';

import { isAllowedAddress } from './outbound-addresses.js';
import { dnsResolver, NameUnresolvedError, sandboxResolver, type ResolveName } from './outbound-names.js';

export type { ResolveName } from './outbound-names.js';

export interface OutboundPolicy {
  /** Also http, loopback and private networks (sandbox). */
  readonly allowPrivate: boolean;
  /** Not only 443 and 8443. Default: allowPrivate. */
  readonly anyPort?: boolean;
}

const LONGEST_URL = 2_048;
const LIVE_PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const METADATA_NAMES =
  /^(metadata\.google\.internal|metadata\.goog|metadata|instance-data|instance-data\.ec2\.internal)$/;
const NOT_PUBLIC_NAMES = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** The message names the rule, never the address. */
export class OutboundBlockedError extends Error {
  override readonly name = 'OutboundBlockedError';
  readonly code = 'OUTBOUND_BLOCKED';
}

export function outboundPolicy(settings: Pick<Settings, 'env' | 'webhookAllowPrivate'>): Required<OutboundPolicy> {
  return { allowPrivate: settings.webhookAllowPrivate, anyPort: settings.env === 'sandbox' };
}

/** The error is the broken rule. Addresses can change, so createOutboundAgent checks them at each connection. */
export function checkPublicUrl(text: string, policy: OutboundPolicy): Result<URL, string> {
  if (text.length > LONGEST_URL) return fail(`must have at most ${LONGEST_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Other parsers may not drop or convert these.
  if (url === undefined || /[\s\\\p{Cc}]/u.test(text)) return fail('must be an absolute URL');
  if (url.protocol !== 'https:' && !(policy.allowPrivate && url.protocol === 'http:')) {
    return fail(policy.allowPrivate ? 'must begin with https:// or http://' : 'must begin with https://');
  }
  // The URL parser accepts `https:x` and `https:///x`, and hides the user in `https://@x`.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return fail('must be an absolute URL');
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return fail('must not carry a user name or password');
  if (url.port === '0') return fail('must not use port 0');
  if (!(policy.anyPort ?? policy.allowPrivate) && !LIVE_PORTS.has(url.port)) return fail('must use port 443 or 8443');
  return isAllowedHost(url.hostname, policy.allowPrivate) ? ok(url) : fail('must point to a public host');
}

/** WHATWG URL already turned any IPv4 spelling into dotted decimal. */
function isAllowedHost(hostname: string, allowPrivate: boolean): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isAllowedAddress(address, allowPrivate);
  const name = hostname.replace(/\.$/, '');
  if (!NAME.test(name) || METADATA_NAMES.test(name)) return false;
  return allowPrivate || (name.includes('.') && !NOT_PUBLIC_NAMES.test(name));
}

/** Connects to these addresses only. `options` names the expected certificate. */
export type ConnectTo = (
  destination: { readonly addresses: readonly LookupAddress[]; readonly timeoutMs: number },
  options: buildConnector.Options,
  callback: buildConnector.Callback,
) => void;

export interface OutboundAgentOptions extends OutboundPolicy {
  /** Milliseconds: for resolving plus connecting, for headers, for each part of a body. */
  readonly timeoutMs: number;
  /** Default: DNS; in the sandbox localhost names and the hosts file first. */
  readonly resolve?: ResolveName;
  readonly connectTo?: ConnectTo;
}

/** After this the name is resolved again. */
export const CONNECTION_LIFE_MS = 10_000;

/**
 * An undici agent for URLs that partners chose. Each connection checks the URL, resolves the name once and uses only
 * these addresses, so a name cannot change between check and use. All addresses must be allowed. It follows no
 * redirect and bounds what it reads.
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
    // Leaves time to connect.
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

/** Rejects if any address is not allowed. */
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

/** For a resolver that ignores its signal. */
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
      // An answer already received goes first.
      setImmediate(() => reject(new NameUnresolvedError('EAI_AGAIN')));
    }, withinMs);
  });
  try {
    return await Promise.race([resolveName(name, waiting.signal), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds. Node's 250 ms gives up on distant receivers; the last address is often IPv6, which we may lack. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** net.connect calls this instead of DNS, and not for IP literals. */
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
