import { BlockList, isIPv4, isIPv6 } from 'node:net';

interface Range {
  readonly network: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

const V4_BITS = 32;
const V6_BITS = 128;
const GROUP_BITS = 16;
/** Bits before the IPv4 part of an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`). */
const MAPPED_BITS = 96;
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const LONGEST_ADDRESS = 64;

/** null: no address, or one with a zone (`fe80::1%eth0`). A mapped address (`::ffff:`) becomes IPv4. */
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
 * null: no range, or bits set after the prefix. With `10.1.2.3/8`, the operator may not mean 16 million
 * addresses.
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

export class AddressRanges {
  // Two lists: in a shared one, `::/0` would match all of IPv4 too.
  private readonly lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  private constructor(ranges: readonly Range[]) {
    for (const { network, prefix, family } of ranges) this.lists[family].addSubnet(network, prefix, family);
  }

  /** Ignores texts that are no ranges. */
  static of(texts: readonly string[]): AddressRanges {
    return new AddressRanges(texts.flatMap((text) => parseRange(text) ?? []));
  }

  /** False for text that is no address. An IPv4-mapped address counts as IPv4. */
  has(address: string): boolean {
    const plain = plainAddress(address);
    if (plain === null) return false;
    const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
    return this.lists[family].check(plain, family);
  }
}

const LOOPBACK = AddressRanges.of(['127.0.0.0/8', '::1']);

/** What is sent there stays on this machine. Names count by themselves: nobody is asked. */
export function isLoopback(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(host) || LOOPBACK.has(host.replace(/^\[|\]$/g, ''));
}
