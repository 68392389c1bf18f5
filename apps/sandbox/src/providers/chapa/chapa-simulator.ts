import { mkdir } from 'node:fs/promises';

import { type Clock, systemClock } from '@vuka/runtime';
import type { FastifyInstance } from 'fastify';

import { CallbackQueue } from '../simulation/callback-queue.js';
import type { TlsKey } from '../simulation/plain-server.js';
import { SimulatorClock } from '../simulation/simulator-clock.js';
import { listen, once, startTimer, type Timed } from '../simulation/simulator-process.js';
import { lockFolder } from '../folder-lock.js';
import { WithheldAnswers } from '../http/withheld-answers.js';
import type { ProviderLog } from '../sandbox-provider.js';
import type { QuestionSigning, SigningFault } from './behaviour/behaviour.js';
import { ChapaBook } from './book/chapa-book.js';
import type { Transfer } from './book/transfer.js';
import { Control } from './control/control.js';
import { controlServer } from './control/control-server.js';
import { apiServer } from './http/api-server.js';
import type { Context } from './http/context.js';
import { askAgain } from './messages/approvals.js';
import { questionMessage, webhookMessage } from './messages/signature.js';
import { tell } from './messages/webhooks.js';
import { type SettingsInput, settingsOf } from './settings.js';

export interface ChapaSimulatorOptions {
  /** The simulator's own: made if missing, one at a time. */
  readonly folder: string;
  /** The merchant's secret key: CHASECK-… or, of a test account, CHASECK_TEST-…. */
  readonly token: string;
  /** Signs webhooks. */
  readonly secretHash: string;
  /** Signs questions whether to pay. */
  readonly approvalSecret: string;
  readonly log: ProviderLog;
  /** 0 = any free port, the default. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Bearer of the control; default: the merchant's key. */
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

export interface ChapaSimulator {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly control: Control;
  /** Writes what waits, gives up webhooks and questions, lets go of the folder. */
  stop(): Promise<void>;
}

/** Starts Chapa. Throws FolderInUseError where another one has the folder, and on an unreadable journal. */
export async function startChapaSimulator(options: ChapaSimulatorOptions): Promise<ChapaSimulator> {
  if (!/^CHASECK(?:_TEST)?-.{8,}$/.test(options.token))
    throw new Error(
      'the Chapa simulator needs a key of the form CHASECK-… or CHASECK_TEST-…, eight characters after it',
    );
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(options.folder);
  let context: Context | null = null;
  const servers: FastifyInstance[] = [];
  try {
    const urls = { base: options.publicUrl ?? '' };
    const opened = await openContext(options, () => urls.base);
    context = opened;
    const control = new Control(opened);
    const onError = (err: unknown, what: string): void => options.log.error({ err }, `Chapa simulator: ${what}`);
    const api = apiServer(opened, onError, options.tls ?? null);
    const steering = controlServer(control, options.controlToken ?? options.token, onError);
    servers.push(api, steering);
    const host = options.host ?? '127.0.0.1';
    const baseUrl = await listen(api, options.port ?? 0, host, options.tls === undefined ? 'http' : 'https');
    const controlUrl = await listen(steering, options.controlPort ?? 0, host, 'http');
    urls.base ||= baseUrl;
    askAgain(opened);
    const stopTimer = startTimer(timed(opened));
    options.log.info({ baseUrl, controlUrl }, 'Chapa simulator: ready');
    const stop = async (): Promise<void> => {
      stopTimer();
      await Promise.all([opened.webhooks.close(), opened.questions.close()]);
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

async function openContext(options: ChapaSimulatorOptions, baseUrl: () => string): Promise<Context> {
  const clock = new SimulatorClock(options.clock ?? systemClock);
  // The book is opened before there is anything that could be told.
  const moved: { tell: (transfer: Transfer, atMs: number) => void } = { tell: () => undefined };
  const held: { settings: Context['settings'] } = { settings: settingsOf(options.settings) };
  const book = await ChapaBook.open({
    folder: options.folder,
    clock,
    settings: () => held.settings,
    onMoved: (transfer, atMs) => moved.tell(transfer, atMs),
    onFailure: (err) => options.log.error({ err }, 'Chapa simulator: the journal failed, nothing more is taken'),
  });
  const context: Context = {
    token: options.token,
    get settings() {
      return held.settings;
    },
    set settings(settings) {
      held.settings = settings;
    },
    clock,
    book,
    webhooks: new CallbackQueue<SigningFault>({
      clock,
      timing: () => held.settings.webhooks,
      message: ({ signing }, body) => webhookMessage(signing, body, options.secretHash),
      isHeard: (status) => status === 200,
    }),
    questions: new CallbackQueue<QuestionSigning>({
      clock,
      // Asked once: no answer is a refusal.
      timing: () => ({ retryAfterMs: [], timeoutMs: held.settings.approval.timeoutMs }),
      message: ({ signing }, body) =>
        questionMessage(signing, body, { secret: options.approvalSecret, signs: held.settings.approval.signs }),
    }),
    withheld: new WithheldAnswers(held.settings.holdMs),
    submits: new Map(),
    baseUrl,
    settle: () => settle(context),
  };
  moved.tell = (transfer, atMs) => tell(context, transfer, atMs);
  return context;
}

/** An answer to a question may make steps due. */
async function settle({ book, questions, webhooks, clock }: Context): Promise<void> {
  do {
    book.settleDue();
    // Nobody hears of what is not on the disk.
    await book.safe();
    await questions.delivered();
  } while (book.nextDueMs <= clock.nowMs);
  await book.safe();
  await webhooks.delivered();
}

/** Questions and webhooks by one timer. */
function timed({ book, questions, webhooks, clock }: Context): Timed {
  const callbacks = {
    get nextDueMs() {
      return Math.min(questions.nextDueMs, webhooks.nextDueMs);
    },
    sendDue() {
      questions.sendDue();
      webhooks.sendDue();
    },
  };
  return { book, callbacks, clock };
}
