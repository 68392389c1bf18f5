import { money } from '@vuka/domain';
import type {
  CallbackProvider,
  CallbackReading,
  PayoutInstruction,
  ProviderAnswer,
  ProviderCallback,
  ResendAnswer,
} from '@vuka/payouts';
import { Metrics } from '@vuka/runtime';
import { CALLBACK_TOKENS } from '@vuka/service-host';

import type { PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import {
  cameBack,
  MISMATCH,
  NOT_FOUND,
  NOT_PAID,
  NOT_PAID_HERE,
  paid,
  SUBMITTED,
} from '../testing/provider-answers.spec-support.js';
import type { Parts } from '../testing/parts.spec-support.js';
import { HandleCallback } from './handle-callback.js';
import { LostCallbacks } from './lost-callbacks.js';
import { SweepCallbacks } from './sweep-callbacks.js';
import { TakeCallback, type TakeCallbackInput } from './take-callback.js';

export const TOKEN = 'a1'.repeat(32);
export const PREVIOUS = 'b2'.repeat(32);

const SAID = {
  paid: paid('R1'),
  paid_otherwise: paid('R2'),
  not_paid: NOT_PAID,
  not_paid_here: NOT_PAID_HERE,
  submitted: SUBMITTED,
  mismatch: MISMATCH,
  came_back: cameBack('R1'),
  not_found: NOT_FOUND,
  paid_for_fee: { ...(paid('R1') as Extract<ProviderAnswer, { outcome: 'succeeded' }>), fee: money(125n, 'KES') },
} as const satisfies Record<string, ProviderAnswer>;

export interface Said {
  readonly id?: string;
  readonly signed?: boolean;
  readonly says?: keyof typeof SAID;
  /** Makes another body. */
  readonly nonce?: number;
}

const NOTHING: ProviderAnswer = { outcome: 'query_failed', detail: 'it proves nothing' };

/** Its callbacks are JSON of `Said`: whoever writes `signed` is believed, and whoever has an attempt's own path. */
export class CallingProvider extends ScriptedProvider implements CallbackProvider {
  readonly read: ProviderCallback[] = [];
  readonly resent: string[] = [];
  resendAnswer: ResendAnswer = { outcome: 'resent' };
  /** Before a reading is given. */
  whileReading: () => Promise<void> = () => Promise.resolve();

  async resend(attemptId: string): Promise<ResendAnswer> {
    this.resent.push(attemptId);
    return this.resendAnswer;
  }

  async parseCallback(callback: ProviderCallback): Promise<CallbackReading> {
    this.read.push(callback);
    await this.whileReading();
    const { id, signed = false, says = 'paid' } = said(callback.body);
    return {
      signed,
      detail: signed ? '' : 'not signed',
      attemptIds: id === undefined ? [] : [id],
      answerFor: ({ attemptId }: PayoutInstruction) =>
        (signed && attemptId === id) || callback.attemptId === attemptId ? SAID[says] : NOTHING,
    };
  }
}

function said(body: Uint8Array): Said {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Said;
  } catch {
    return {};
  }
}

interface Kept {
  readonly outcome: string | null;
  readonly times: number;
  readonly looks: number;
  readonly signed: boolean | null;
}

export class CallbackHarness extends Harness {
  readonly taker: TakeCallback;
  readonly handler: HandleCallback;
  readonly sweeper: SweepCallbacks;
  readonly lost: LostCallbacks;
  protected readonly own: Parts;

  constructor(
    pg: PaymentsDatabase,
    override readonly provider: CallingProvider,
    ...others: ScriptedProvider[]
  ) {
    super(pg, provider, ...others);
    this.own = this.partsWith([CALLBACK_TOKENS, new Map([[provider.id, [TOKEN, PREVIOUS]]])]);
    this.taker = this.own.get(TakeCallback);
    this.handler = this.own.get(HandleCallback);
    this.sweeper = this.own.get(SweepCallbacks);
    this.lost = this.own.get(LostCallbacks);
  }

  static async started(
    pg: PaymentsDatabase,
    provider: CallingProvider,
    ...others: ScriptedProvider[]
  ): Promise<CallbackHarness> {
    const trip = new CallbackHarness(pg, provider, ...others);
    await trip.accepted();
    await trip.start();
    return trip;
  }

  async attemptId(attemptNo = 1): Promise<string> {
    const { attempts } = await this.attempts.historyOf(this.id);
    return attempts.find((one) => one.attemptNo === attemptNo)?.providerReference ?? 'none';
  }

  /** Of this payout, signed and paid, unless told otherwise. */
  async calledBack(what: Said = {}, more: Partial<TakeCallbackInput> = {}): Promise<void> {
    const body = JSON.stringify({ id: what.id ?? (await this.attemptId()), signed: true, ...what });
    const taken = await this.take({ body: Buffer.from(body).toString('base64'), ...more });
    if (!taken.ok) throw new Error(taken.error.message);
  }

  take(more: Partial<TakeCallbackInput> = {}): ReturnType<TakeCallback['run']> {
    return this.taker.run({
      provider: this.provider.id,
      token: TOKEN,
      attempt_token: null,
      method: 'POST',
      host: 'vuka.example.com',
      path: `/callbacks/${this.provider.id}/${TOKEN}`,
      headers: [['Content-Type', 'application/json']],
      body: '',
      ...more,
    });
  }

  /** All that is due. Resolves with the count. */
  async handle(afterMs = 0): Promise<number> {
    this.clock.advance(afterMs);
    const claimed = await this.handler.claim(this.provider, 1_000);
    for (const callback of claimed) await this.handler.run(callback, this.provider);
    return claimed.length;
  }

  kept(): Promise<Kept[]> {
    return this.pg.db.query('select outcome, times, looks, signed from provider_callbacks order by id');
  }

  async outcomes(): Promise<(string | null)[]> {
    return (await this.kept()).map(({ outcome }) => outcome);
  }

  /** A line of the metrics' text. */
  async metric(start: string): Promise<string | undefined> {
    const text = await this.own.get(Metrics).text();
    return text.split('\n').find((line) => line.startsWith(start));
  }
}
