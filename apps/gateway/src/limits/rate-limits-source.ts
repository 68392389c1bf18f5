import { isIPv4 } from 'node:net';

import { plainAddress } from '@vuka/config';

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
  const plain = plainAddress(address.split('%', 1)[0] ?? '');
  if (plain === null || isIPv4(plain)) return plain ?? address;
  return `${siteOf(plain)}::/64`;
}

/** Of an address in its one spelling. */
function siteOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array<string>(GROUPS - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, SITE_GROUPS).join(':');
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
