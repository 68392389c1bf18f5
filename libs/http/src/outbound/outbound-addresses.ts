import { BlockList, isIP } from 'node:net';

/** Not public (IANA special-purpose registry). */
const NOT_PUBLIC_V4 = listOf('ipv4', [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
  '224.0.0.0/4', '240.0.0.0/4',
]); // prettier-ignore
/** Global unicast only: mapped, NAT64 and 6to4 can carry a private IPv4 address. */
const GLOBAL_V6 = listOf('ipv6', ['2000::/3']);
const NOT_PUBLIC_V6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
/** Sandbox only. Never link-local: cloud metadata lives there. */
const PRIVATE_V4 = listOf('ipv4', ['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']);
const PRIVATE_V6 = listOf('ipv6', ['::1/128', 'fc00::/7']);
/** Cloud metadata inside allowed ranges: Azure WireServer; AWS, Google, Oracle, Scaleway over IPv6. */
const METADATA_V4 = listOf('ipv4', ['168.63.129.16/32']);
const METADATA_V6 = listOf('ipv6', ['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:c1::a9fe:a9fe/128', 'fd00:42::42/128']);

/** false also for no address, or one with a network interface. */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4) {
    if (METADATA_V4.check(address, 'ipv4')) return false;
    return !NOT_PUBLIC_V4.check(address, 'ipv4') || (allowPrivate && PRIVATE_V4.check(address, 'ipv4'));
  }
  if (family !== 6 || METADATA_V6.check(address, 'ipv6')) return false;
  const publicHost = GLOBAL_V6.check(address, 'ipv6') && !NOT_PUBLIC_V6.check(address, 'ipv6');
  return publicHost || (allowPrivate && PRIVATE_V6.check(address, 'ipv6'));
}

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
