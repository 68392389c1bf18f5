import { BlockList, isIPv4, isIPv6 } from 'node:net';

interface Range {
  readonly network: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

const V4_BITS = 32;
const V6_BITS = 128;
const GROUP_BITS = 16;
/** Of an IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`): what comes before it. */
const MAPPED_BITS = 96;
/** As a URL has it, which writes an address of IPv6 in one way. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
/** Longer than any address is written. */
const LONGEST_ADDRESS = 64;

/** An address in its one spelling; of one that is IPv4 behind `::ffff:`, that. null for what is none, and for one of a zone (`fe80::1%eth0`). */
export function plainAddress(text: string): string | null {
  if (text.length > LONGEST_ADDRESS) return null;
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes('%')) return null;
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(address);
  return mapped === null ? address : mapped.slice(1).flatMap(octetsOf).join('.');
}

function octetsOf(group: string): [number, number] {
  const value = parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

/**
 * A range of addresses (`192.0.2.0/24`, `2001:db8::/32`) or a single one, in its one spelling; one of IPv4 behind `::ffff:` is that of IPv4. null for
 * everything else, and where bits are set beyond its prefix: who writes `10.1.2.3/8` may have meant less than sixteen million addresses.
 */
export function plainRange(text: string): string | null {
  const range = parseRange(text);
  return range && `${range.network}/${String(range.prefix)}`;
}

function parseRange(text: string): Range | null {
  const [, address = '', length] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const network = plainAddress(address);
  if (network === null) return null;
  const writtenBits = isIPv4(address) ? V4_BITS : V6_BITS;
  const family = isIPv4(network) ? 'ipv4' : 'ipv6';
  const written = length === undefined ? writtenBits : Number(length);
  const prefix = family === 'ipv4' && writtenBits === V6_BITS ? written - MAPPED_BITS : written;
  if (written > writtenBits || prefix < 0) return null;
  return isNetwork(network, prefix, family) ? { network, prefix, family } : null;
}

/** Whether nothing is set beyond the prefix. */
function isNetwork(network: string, prefix: number, family: Range['family']): boolean {
  const bits = family === 'ipv4' ? V4_BITS : V6_BITS;
  return BigInt.asUintN(bits - prefix, valueOf(network, family)) === 0n;
}

function valueOf(address: string, family: Range['family']): bigint {
  if (family === 'ipv4') return address.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array<bigint>(V6_BITS / GROUP_BITS - before.length - after.length).fill(0n);
  return [...before, ...zeros, ...after].reduce((value, group) => (value << BigInt(GROUP_BITS)) | group, 0n);
}

function groupsOf(text: string): bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));
}

/** Some ranges of addresses, IPv4 and IPv6. */
export class AddressRanges {
  // Apart, since a list of both takes `::/0` for all of IPv4, too.
  private readonly lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  private constructor(ranges: readonly Range[]) {
    for (const { network, prefix, family } of ranges) this.lists[family].addSubnet(network, prefix, family);
  }

  /** What is no range is left out: nothing is in it. */
  static of(texts: readonly string[]): AddressRanges {
    return new AddressRanges(texts.flatMap((text) => parseRange(text) ?? []));
  }

  /** Whether the address is in one of them; an IPv4 address in any spelling is that address. Nothing holds what is no address. */
  has(address: string): boolean {
    const plain = plainAddress(address);
    if (plain === null) return false;
    const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
    return this.lists[family].check(plain, family);
  }
}
