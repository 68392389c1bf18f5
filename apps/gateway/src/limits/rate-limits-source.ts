import { isIPv4 } from 'node:net';

import { plainAddress } from '@vuka/config';

/** An IPv6 site is the first four of eight 16-bit groups. */
const GROUPS = 8;
const SITE_GROUPS = 4;

/**
 * IPv4: the address. IPv6: its /64, because a guest has all of it. Behind an untrusted proxy all callers count as
 * one.
 */
export function sourceOf(address: string | undefined): string {
  if (address === undefined) return '';
  const plain = plainAddress(address.split('%', 1)[0] ?? '');
  if (plain === null || isIPv4(plain)) return plain ?? address;
  return `${siteOf(plain)}::/64`;
}

/** `address` is canonical. */
function siteOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array<string>(GROUPS - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, SITE_GROUPS).join(':');
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
