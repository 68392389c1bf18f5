import { setTimeout as pause } from 'node:timers/promises';

import type { ApiClient } from './api-client.js';
import { accountNumber } from '../destinations.js';
import { eachOf } from '../until.js';
import type { WebhookReceiver } from './webhook-receiver.js';

export interface LoadOptions {
  readonly name: string;
  readonly clients: readonly ApiClient[];
  readonly receiver: WebhookReceiver;
  readonly workers?: number;
  /** Pause of a worker after an answer, in ms; default none. */
  readonly restMs?: number;
  readonly onAnswer?: (status: number | null) => void;
}

const WORKERS = 6;
const REPEATS = 10;
const REPEAT_AFTER_MS = 1_000;
const SANDBOX_NUMBERS = ['7890', '7890', '7890', '0000', '0001'];

/** Partners that send transfers on several workers until stopped; a missing answer stops none of them. */
export class PartnerLoad {
  private readonly workers: Promise<void>[];
  private going = true;
  private sent = 0;

  constructor(private readonly options: LoadOptions) {
    this.workers = options.clients.flatMap((client) =>
      Array.from({ length: options.workers ?? WORKERS }, () => this.worker(client)),
    );
  }

  async stop(): Promise<void> {
    this.going = false;
    await Promise.all(this.workers);
  }

  private async worker(client: ApiClient): Promise<void> {
    const { name, receiver, restMs, onAnswer } = this.options;
    while (this.going) {
      const number = this.sent++;
      const reference = `${name}-${number}`;
      const body = {
        amount: 100,
        account_number: accountNumber(SANDBOX_NUMBERS[number % SANDBOX_NUMBERS.length]),
        bank_code: '01',
        reference,
        callback_url: receiver.url(),
      };
      const headers = number % 3 === 0 ? { 'idempotency-key': reference } : {};
      const answer = await client.bankTransfer('KES', body, headers).catch(() => null);
      onAnswer?.(answer?.status ?? null);
      if (restMs !== undefined) await pause(restMs);
    }
  }
}

/**
 * Repeats every second request without an answer, so that the others end alone. One that is answered 503 or 504 is
 * repeated again, as that answer says. Throws unless 200 in the end.
 */
export async function sendOpenOnesAgain(clients: readonly ApiClient[]): Promise<void> {
  for (const client of clients) {
    const open = client.sent.filter(({ outcome }) => outcome === 'open').filter((_, index) => index % 2 === 0);
    await eachOf(open, 8, async (payout) => {
      let answer = await client.sendAgain(payout);
      for (let tries = 0; answer.status >= 500 && tries < REPEATS; tries += 1) {
        await pause(REPEAT_AFTER_MS);
        answer = await client.sendAgain(payout);
      }
      if (answer.status !== 200) throw new Error(`${payout.code} sent again: HTTP ${answer.status} ${answer.text}`);
    });
  }
}

export async function lostAccepts(clients: readonly ApiClient[]): Promise<string[]> {
  const lost: string[] = [];
  for (const client of clients) {
    const accepted = client.sent.filter(({ outcome }) => outcome === 'accepted');
    const rows = await eachOf(accepted, 16, ({ code }) => client.status(code));
    lost.push(
      ...accepted.filter((_, index) => rows[index] === null).map(({ code }) => `${code} was accepted and lost`),
    );
  }
  return lost;
}
