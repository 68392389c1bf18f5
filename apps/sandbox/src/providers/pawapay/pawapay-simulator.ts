import { mkdir } from 'node:fs/promises';

import { type Clock, systemClock } from '@vuka/runtime';
import type { FastifyInstance } from 'fastify';

import { CallbackQueue } from '../simulation/callback-queue.js';
import type { TlsKey } from '../simulation/plain-server.js';
import { SimulatorClock } from '../simulation/simulator-clock.js';
import { listen, once, startTimer } from '../simulation/simulator-process.js';
import { lockFolder } from '../folder-lock.js';
import { WithheldAnswers } from '../http/withheld-answers.js';
import type { ProviderLog } from '../sandbox-provider.js';
import { PawapayBook } from './book/pawapay-book.js';
import type { Payout } from './book/payout.js';
import type { SigningFault } from './behaviour/behaviour.js';
import { KeyRing } from './callbacks/key-ring.js';
import { signedMessage } from './callbacks/signed-message.js';
import { Control } from './control/control.js';
import { controlServer } from './control/control-server.js';
import { apiServer } from './http/api-server.js';
import type { Context } from './http/context.js';
import { callBack } from './http/payout-routes.js';
import { type CallbackSettings, type SettingsInput, settingsOf } from './settings.js';
import { Statements } from './statements/statements.js';

export interface PawapaySimulatorOptions {
  /** The simulator's own: made if missing, one at a time. */
  readonly folder: string;
  /** Bearer token of the merchant. */
  readonly token: string;
  readonly log: ProviderLog;
  /** 0 = any free port, the default. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Bearer of the control; default: the merchant's token. */
  readonly controlToken?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** What callers know it as, in links; default: where it listens. */
  readonly publicUrl?: string;
  /** A ManualClock is moved by the control itself. */
  readonly clock?: Clock;
  /** Default: plain http. */
  readonly tls?: TlsKey;
  readonly settings?: SettingsInput;
}

export interface PawapaySimulator {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly control: Control;
  /** Writes what waits, gives up callbacks, lets go of the folder. */
  stop(): Promise<void>;
}

/** Starts pawaPay. Throws FolderInUseError where another one has the folder, and on an unreadable journal. */
export async function startPawapaySimulator(options: PawapaySimulatorOptions): Promise<PawapaySimulator> {
  if (options.token.length < 16) throw new Error('the pawaPay simulator needs a token of 16 characters or more');
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(options.folder);
  let context: Context | null = null;
  const servers: FastifyInstance[] = [];
  try {
    const urls = { base: options.publicUrl ?? '' };
    const opened = await openContext(options, () => urls.base);
    context = opened;
    const control = new Control(opened);
    const onError = (err: unknown, what: string): void => options.log.error({ err }, `pawaPay simulator: ${what}`);
    const api = apiServer(opened, onError, options.tls ?? null);
    const steering = controlServer(control, options.controlToken ?? options.token, onError);
    servers.push(api, steering);
    const host = options.host ?? '127.0.0.1';
    const baseUrl = await listen(api, options.port ?? 0, host, options.tls === undefined ? 'http' : 'https');
    const controlUrl = await listen(steering, options.controlPort ?? 0, host, 'http');
    urls.base ||= baseUrl;
    const stopTimer = startTimer(opened);
    options.log.info({ baseUrl, controlUrl }, 'pawaPay simulator: ready');
    const stop = async (): Promise<void> => {
      stopTimer();
      await opened.callbacks.close();
      await Promise.all(servers.map((server) => server.close()));
      await closeContext(opened);
      await lock.release();
    };
    return { baseUrl, controlUrl, control, stop: once(stop) };
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    if (context !== null) await closeContext(context);
    await lock.release();
    throw error;
  }
}

async function openContext(options: PawapaySimulatorOptions, baseUrl: () => string): Promise<Context> {
  const settings = settingsOf(options.settings);
  const clock = new SimulatorClock(options.clock ?? systemClock);
  const moved = new Movements();
  const keys = await KeyRing.open(options.folder);
  const book = await PawapayBook.open({
    folder: options.folder,
    clock,
    settings,
    onMoved: (payout, atMs) => moved.tell(payout, atMs),
    onFailure: (err) => options.log.error({ err }, 'pawaPay simulator: the journal failed, nothing more is accepted'),
  });
  const callbackSettings = (): CallbackSettings => context.settings.callbacks;
  const callbacks = new CallbackQueue<SigningFault>({
    clock,
    timing: callbackSettings,
    message: (...sent) => signedMessage({ settings: callbackSettings, keys, clock }, ...sent),
  });
  const context: Context = {
    token: options.token,
    settings,
    clock,
    book,
    keys,
    callbacks,
    statements: new Statements(settings.statements, clock, book, baseUrl),
    withheld: new WithheldAnswers(settings.holdMs),
    providerStatus: new Map(),
    submits: new Map(),
    settle: async () => {
      book.settleDue();
      // Nobody hears of what is not on the disk.
      await book.safe();
      await callbacks.delivered();
      await keys.saved();
    },
  };
  moved.listener = (payout, atMs) => callBack(context, payout, atMs);
  return context;
}

/** The book is opened before there is anything that could be called back. */
class Movements {
  listener: (payout: Payout, atMs: number) => void = () => undefined;

  tell(payout: Payout, atMs: number): void {
    this.listener(payout, atMs);
  }
}

async function closeContext({ book, keys }: Context): Promise<void> {
  await keys.saved();
  await book.close();
}
