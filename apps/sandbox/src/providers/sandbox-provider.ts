import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { isIP, type AddressInfo } from 'node:net';

import { lockFolder } from './folder-lock.js';
import { PayoutBook } from './book/payout-book.js';
import { type ProfileId, PROFILES } from './book/provider-profile.js';
import { providerServer } from './http/provider-server.js';

/** Fits pino. */
export interface ProviderLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface SandboxProviderOptions {
  /** Made if missing; one provider at a time. */
  readonly folder: string;
  readonly credential: string;
  readonly log: ProviderLog;
  /** 0 = any free port, the default. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  readonly clock?: { now(): Date };
  /** Default `sandbox`. */
  readonly profile?: ProfileId;
  /** Default 500,000, about 1 KiB each; beyond it refuses payouts. */
  readonly maxPayouts?: number;
}

export interface SandboxProvider {
  readonly baseUrl: string;
  /** Finishes requests and writes, then frees the folder. */
  stop(): Promise<void>;
}

const MIN_TICK_MS = 10;
const MAX_TICK_MS = 250;

export function sandboxCredential(): string {
  return `sbx_${randomBytes(24).toString('base64url')}`;
}

/** Throws FolderInUseError, or on an unreadable journal. */
export async function startSandboxProvider(options: SandboxProviderOptions): Promise<SandboxProvider> {
  const { folder, log, credential, profile = 'sandbox' } = options;
  if (credential.length < 16) throw new Error('the sandbox provider needs a credential of 16 characters or more');
  const now = (): Date => options.clock?.now() ?? new Date();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder);
  let book: PayoutBook | null = null;
  try {
    const opened = await PayoutBook.open({
      folder,
      now,
      profile: PROFILES[profile],
      maxPayouts: options.maxPayouts ?? 500_000,
      onFailure: (err) =>
        log.error({ err }, 'sandbox provider: the journal failed, nothing more is accepted until a restart'),
    });
    book = opened.book;
    if (opened.droppedBytes > 0)
      log.warn({ bytes: opened.droppedBytes }, 'sandbox provider: dropped the unfinished end of the journal');
    const server = providerServer(book, credential, (err, what) => log.error({ err }, `sandbox provider: ${what}`));
    await server.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
    const baseUrl = urlOf(server.server.address() as AddressInfo);
    const stopTimer = startSettling(book);
    log.info({ baseUrl, profile, entries: book.lastSequence }, 'sandbox provider: ready');
    return { baseUrl, stop: once(() => stopAll(stopTimer, () => server.close(), opened.book, lock)) };
  } catch (error) {
    await book?.close();
    await lock.release();
    throw error;
  }
}

async function stopAll(
  stopTimer: () => void,
  closeServer: () => PromiseLike<unknown>,
  book: PayoutBook,
  lock: { release(): Promise<void> },
): Promise<void> {
  stopTimer();
  await closeServer();
  await book.close();
  await lock.release();
}

/** Also wakes regularly: the given clock may differ from the timer. */
function startSettling(book: PayoutBook): () => void {
  let timer: NodeJS.Timeout;
  const tick = (): void => {
    book.settleDue();
    timer = setTimeout(tick, Math.min(Math.max(book.nextDueInMs, MIN_TICK_MS), MAX_TICK_MS));
    timer.unref();
  };
  tick();
  return () => clearTimeout(timer);
}

function urlOf({ address, port }: AddressInfo): string {
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

function once(fn: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= fn());
}
