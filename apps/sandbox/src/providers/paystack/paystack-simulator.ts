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
import type { SigningFault } from './behaviour/behaviour.js';
import { PaystackBook } from './book/paystack-book.js';
import type { Transfer } from './book/transfer.js';
import { Control } from './control/control.js';
import { controlServer } from './control/control-server.js';
import { apiServer } from './http/api-server.js';
import type { Context } from './http/context.js';
import { tell } from './http/transfer-routes.js';
import { type SettingsInput, settingsOf } from './settings.js';
import { Approvals } from './webhooks/approvals.js';
import { signedWebhook } from './webhooks/signed-webhook.js';

export interface PaystackSimulatorOptions {
  /** The simulator's own: made if missing, one at a time. */
  readonly folder: string;
  /** sk_test_… or sk_live_… of the merchant. */
  readonly secret: string;
  readonly log: ProviderLog;
  /** 0 = any free port, the default. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Bearer of the control; default: the merchant's secret. */
  readonly controlToken?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** A ManualClock is moved by the control itself. */
  readonly clock?: Clock;
  /** Default: plain http. */
  readonly tls?: TlsKey;
  readonly settings?: SettingsInput;
}

export interface PaystackSimulator {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly control: Control;
  /** Writes what waits, gives up webhooks, lets go of the folder. */
  stop(): Promise<void>;
}

const SECRET = /^sk_(?:test|live)_\S{8,}$/;

/** Starts Paystack. Throws FolderInUseError where another one has the folder, and on an unreadable journal. */
export async function startPaystackSimulator(options: PaystackSimulatorOptions): Promise<PaystackSimulator> {
  if (!SECRET.test(options.secret))
    throw new Error('the Paystack simulator needs a secret that begins sk_test_ or sk_live_, 16 characters or more');
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(options.folder);
  let context: Context | null = null;
  const servers: FastifyInstance[] = [];
  try {
    const opened = await openContext(options);
    context = opened;
    const control = new Control(opened);
    const onError = (err: unknown, what: string): void => options.log.error({ err }, `Paystack simulator: ${what}`);
    const api = apiServer(opened, onError, options.tls ?? null);
    const steering = controlServer(control, options.controlToken ?? options.secret, onError);
    servers.push(api, steering);
    const host = options.host ?? '127.0.0.1';
    const baseUrl = await listen(api, options.port ?? 0, host, options.tls === undefined ? 'http' : 'https');
    const controlUrl = await listen(steering, options.controlPort ?? 0, host, 'http');
    for (const transfer of opened.book.all()) if (transfer.awaitsApproval) opened.approvals.ask(transfer);
    const stopTimer = startTimer({ ...opened, callbacks: opened.webhooks });
    options.log.info({ baseUrl, controlUrl }, 'Paystack simulator: ready');
    const stop = async (): Promise<void> => {
      stopTimer();
      await Promise.all([opened.webhooks.close(), opened.approvals.close()]);
      await Promise.all(servers.map((server) => server.close()));
      await opened.book.close();
      await lock.release();
    };
    return { baseUrl, controlUrl, control, stop: once(stop) };
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    await context?.book.close();
    await lock.release();
    throw error;
  }
}

async function openContext(options: PaystackSimulatorOptions): Promise<Context> {
  const settings = settingsOf(options.settings);
  const clock = new SimulatorClock(options.clock ?? systemClock);
  const moved = new Movements();
  const book = await PaystackBook.open({
    folder: options.folder,
    clock,
    settings,
    onMoved: (transfer, atMs) => moved.tell(transfer, atMs),
    onFailure: (err) => options.log.error({ err }, 'Paystack simulator: the journal failed, nothing more is accepted'),
  });
  const { secret } = options;
  const webhooks = new CallbackQueue<SigningFault>({
    clock,
    timing: () => context.settings.webhooks,
    message: ({ signing }, body) => signedWebhook(secret, body, signing),
    // Anything but 200 OK is tried again [D].
    isHeard: (status) => status === 200,
  });
  const approvals = new Approvals(() => context, book);
  const context: Context = {
    secret,
    settings,
    clock,
    book,
    webhooks,
    approvals,
    withheld: new WithheldAnswers(settings.holdMs),
    submits: new Map(),
    recipientCalls: new Map(),
    settle: async () => {
      await approvals.decided();
      book.settleDue();
      // Nobody hears of what is not on the disk.
      await book.safe();
      await webhooks.delivered();
    },
  };
  moved.listener = (transfer, atMs) => tell(context, transfer, atMs);
  return context;
}

/** The book is opened before there is anything that could be told. */
class Movements {
  listener: (transfer: Transfer, atMs: number) => void = () => undefined;

  tell(transfer: Transfer, atMs: number): void {
    this.listener(transfer, atMs);
  }
}
