import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

import { fail, ok, type Result } from '@vuka/domain';
import { Agent, buildConnector } from 'undici';

import type { Settings } from './settings.js';

/** Where calls to addresses that partners chose may go. */
export interface OutboundPolicy {
  /** http, loopback and private networks too; for the sandbox. */
  readonly allowPrivate: boolean;
  /** Any port, not only 443 and 8443; follows allowPrivate when absent. */
  readonly anyPort?: boolean;
}

const LONGEST_URL = 2_048;
const LIVE_PORTS: ReadonlySet<string> = new Set(['', '443', '8443']);

/** Every IPv4 range that is not a public host (IANA special-purpose registry). */
const NOT_PUBLIC_V4 = listOf('ipv4', [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
  '224.0.0.0/4', '240.0.0.0/4',
]); // prettier-ignore
/** Of IPv6 only global unicast is public: mapped, NAT64, 6to4 and the rest could carry a private IPv4 address. */
const GLOBAL_V6 = listOf('ipv6', ['2000::/3']);
const NOT_PUBLIC_V6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
/** What allowPrivate adds. Link-local stays out: cloud metadata services live there. */
const PRIVATE_V4 = listOf('ipv4', ['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']);
const PRIVATE_V6 = listOf('ipv6', ['::1/128', 'fc00::/7']);
/** Metadata services of clouds outside the ranges above: AWS and Google over IPv6, Azure's wire server. */
const METADATA_V4 = listOf('ipv4', ['168.63.129.16/32']);
const METADATA_V6 = listOf('ipv6', ['fd00:ec2::254/128', 'fd20:ce::254/128']);
const METADATA_NAMES = /^(metadata\.google\.internal|metadata|instance-data|instance-data\.ec2\.internal)$/;

/** The address is not one we may connect to. The message names the host, not the address it resolved to. */
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
  if (url === undefined || /[\s\\]/.test(text)) return fail('must be an absolute URL');
  if (url.protocol !== 'https:' && !(policy.allowPrivate && url.protocol === 'http:')) {
    return fail(policy.allowPrivate ? 'must begin with https:// or http://' : 'must begin with https://');
  }
  // As it stands: the parser would also find a host in `https:x` and `https:///x`.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return fail('must be an absolute URL');
  if (url.username !== '' || url.password !== '') return fail('must not carry a user name or password');
  if (url.port === '0') return fail('must not use port 0');
  if (!(policy.anyPort ?? policy.allowPrivate) && !LIVE_PORTS.has(url.port)) return fail('must use port 443 or 8443');
  return isAllowedHost(url.hostname, policy.allowPrivate) ? ok(url) : fail('must point to a public host');
}

/** `hostname` as WHATWG URL leaves it: every spelling of an IPv4 address is dotted decimal by then. */
function isAllowedHost(hostname: string, allowPrivate: boolean): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isAllowedAddress(address, allowPrivate);
  const name = hostname.replace(/\.$/, '');
  if (METADATA_NAMES.test(name)) return false;
  return allowPrivate ? name !== '' : name.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/.test(name);
}

function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  if (isIP(address) === 4) {
    if (METADATA_V4.check(address, 'ipv4')) return false;
    return !NOT_PUBLIC_V4.check(address, 'ipv4') || (allowPrivate && PRIVATE_V4.check(address, 'ipv4'));
  }
  if (METADATA_V6.check(address, 'ipv6')) return false;
  const publicHost = GLOBAL_V6.check(address, 'ipv6') && !NOT_PUBLIC_V6.check(address, 'ipv6');
  return publicHost || (allowPrivate && PRIVATE_V6.check(address, 'ipv6'));
}

/**
 * A DNS lookup that answers only when every address of the name may be connected to. net.connect connects to
 * what this answers and asks no second time, so a name cannot change between check and use.
 */
export function guardedLookup(allowPrivate: boolean, resolver: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const first = addresses?.[0];
      if (error !== null || first === undefined) {
        callback(error ?? new OutboundBlockedError(`${hostname} has no address`), '', 0);
      } else if (addresses.some(({ address }) => !isAllowedAddress(address, allowPrivate))) {
        callback(new OutboundBlockedError(`${hostname} is not a public host`), '', 0);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

export interface OutboundAgentOptions extends OutboundPolicy {
  /** Bound of connecting, of the wait for headers and of each wait for more of a body, milliseconds. */
  readonly timeoutMs: number;
}

/** An undici agent for addresses that partners chose: guarded, bounded, follows no redirect. */
export function createOutboundAgent({ timeoutMs, ...policy }: OutboundAgentOptions): Agent {
  const connect = buildConnector({
    timeout: timeoutMs,
    autoSelectFamily: true,
    lookup: guardedLookup(policy.allowPrivate),
  });
  return new Agent({
    // net.connect asks no lookup about an IP literal, so the URL's rules are applied here once more.
    connect: (options, callback) => {
      const host = isIP(options.hostname) === 6 ? `[${options.hostname}]` : options.hostname;
      const checked = checkPublicUrl(`${options.protocol}//${host}:${options.port}`, policy);
      if (checked.ok) connect(options, callback);
      else callback(new OutboundBlockedError(`${options.hostname}: the URL ${checked.error}`), null);
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: 65_536,
    connections: 32,
    pipelining: 1,
    // A connection outlives its check by no more than this.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
  });
}

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
