import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { open } from 'node:fs/promises';
import { isIP } from 'node:net';

/** At least one address. Rejects with NameUnresolvedError. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

/** `code` is getaddrinfo's. */
export class NameUnresolvedError extends Error {
  override readonly name = 'NameUnresolvedError';

  constructor(readonly code: 'ENOTFOUND' | 'EAI_AGAIN') {
    super(code === 'ENOTFOUND' ? 'the name has no address' : 'the name could not be asked for');
  }
}

export interface DnsOptions {
  /** `address:port`; default: the system's. */
  readonly servers?: readonly string[];
  /** Milliseconds; the second query waits about twice as long. */
  readonly queryMs?: number;
}

const NO_SUCH_NAME = /^(ENOTFOUND|ENODATA)$/;

/** Uses c-ares: a system lookup blocks one of four threads while DNS is silent, and with it other names and files. */
export function dnsResolver({ servers, queryMs = 500 }: DnsOptions = {}): ResolveName {
  return async (name, signal) => {
    signal.throwIfAborted();
    // `cancel` ends all queries of a resolver.
    const resolver = new Resolver({ timeout: queryMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
      if (found.length > 0) return found;
      throw new NameUnresolvedError([v4, v6].every(isNoSuchName) ? 'ENOTFOUND' : 'EAI_AGAIN');
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

function isNoSuchName(answer: PromiseSettledResult<string[]>): boolean {
  return answer.status === 'fulfilled' || NO_SUCH_NAME.test(String((answer.reason as { code?: unknown }).code));
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const HOSTS_FILE = '/etc/hosts';
const MOST_HOSTS_BYTES = 65_536;

/**
 * Localhost names are this machine (RFC 6761). Docker puts `host.docker.internal` into the hosts file. Live uses DNS
 * alone.
 */
export function sandboxResolver(next: ResolveName, hostsFile: string = HOSTS_FILE): ResolveName {
  return async (name, signal) => {
    const plain = name.replace(/\.$/, '').toLowerCase();
    if (plain === 'localhost' || plain.endsWith('.localhost')) return LOOPBACK;
    const known = hostsEntries(await readHosts(hostsFile), plain);
    return known.length > 0 ? known : next(name, signal);
  };
}

function hostsEntries(text: string, name: string): readonly LookupAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((each) => each.toLowerCase() === name) ? [{ address, family }] : [];
  });
}

/** Bounded; empty without a file. */
async function readHosts(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_HOSTS_BYTES), 0, MOST_HOSTS_BYTES);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}
