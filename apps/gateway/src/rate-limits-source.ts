import { isIPv6 } from 'node:net';

/** An IPv4 address as a socket that listens on both families tells it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Eight groups of 16 bits; who has one of the first four, a site, has all of the rest. */
const GROUPS = 8;
const SITE_GROUPS = 4;

/**
 * Whose failed keys an address counts among: itself, or of IPv6 its /64, of which every guest has all 2^64.
 * The address is that of `clientAddress`: behind a proxy that nobody has told us to trust it is the proxy's, and all who call through it
 * count together.
 */
export function sourceOf(address: string | undefined): string {
  // The peer is gone already.
  if (address === undefined) return '';
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return address;
  return `${siteOf(plain)}::/64`;
}

function siteOf(address: string): string {
  // One that ends in IPv4 has two groups there, which are never in the site.
  const [head = '', tail] = address.replace(/[\d.]+\.\d+$/, '0:0').split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<string>(Math.max(0, GROUPS - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, SITE_GROUPS);
  return groups.map((group) => parseInt(group, 16).toString(16)).join(':');
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
