import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { open } from 'node:fs/promises';
import { isIP } from 'node:net';

/**
 * Every address of a name, never none: rejects with NameUnresolvedError. Whoever asks may stop waiting at any time by `signal`,
 * and then nothing goes on.
 */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

/** `code` as getaddrinfo's: the name has no address, or nobody who would know has answered. */
export class NameUnresolvedError extends Error {
  override readonly name = 'NameUnresolvedError';

  constructor(readonly code: 'ENOTFOUND' | 'EAI_AGAIN') {
    super(code === 'ENOTFOUND' ? 'the name has no address' : 'the name could not be asked for');
  }
}

export interface DnsOptions {
  /** `address:port`; the system's where absent. */
  readonly servers?: readonly string[];
  /** Until a question is asked once more, milliseconds; the second time it waits about twice as long. */
  readonly queryMs?: number;
}

const NO_SUCH_NAME = /^(ENOTFOUND|ENODATA)$/;

/**
 * Asks DNS on sockets of its own (c-ares). The system's own lookup takes one of the process's four threads for as long as a
 * dead server keeps silent: a few such names would hold up every other one, and files, too.
 */
export function dnsResolver({ servers, queryMs = 500 }: DnsOptions = {}): ResolveName {
  return async (name, signal) => {
    signal.throwIfAborted();
    // One each: `cancel` ends all that a resolver is at.
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
 * What the sandbox adds before DNS: localhost names are this machine (RFC 6761), and the hosts file counts, since Docker puts
 * `host.docker.internal` there. Live asks DNS alone: what a file of this machine says is no public host.
 */
export function sandboxResolver(next: ResolveName, hostsFile: string = HOSTS_FILE): ResolveName {
  return async (name, signal) => {
    const plain = name.replace(/\.$/, '').toLowerCase();
    if (plain === 'localhost' || plain.endsWith('.localhost')) return LOOPBACK;
    const known = hostsEntries(await readHosts(hostsFile), plain);
    return known.length > 0 ? known : next(name, signal);
  };
}

/** The addresses that a hosts file gives a name; zone ids and what is no address are left out. */
function hostsEntries(text: string, name: string): readonly LookupAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((each) => each.toLowerCase() === name) ? [{ address, family }] : [];
  });
}

/** Its beginning, where it is very long; empty where there is none. */
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
