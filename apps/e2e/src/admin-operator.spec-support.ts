import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect } from '@jest/globals';
import {
  accountNumber,
  commandOf,
  AdminSession,
  ProviderBooks,
  until,
  type Fixture,
  type SentPayout,
} from '@vuka/testing';

import { connectToRunning } from './superuser.spec-support.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND_WITHIN_MS = 60_000;
/** Each poll loads an admin page with its queries. */
export const LOOK_EVERY_MS = 150;

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each command has a shape of its own, and each test says which it expects
type Told = any;

export class Operator {
  private readonly team: AdminSession;
  private readonly typedOnce = new Set<string>();

  constructor(private readonly fixture: Fixture) {
    this.team = new AdminSession(fixture.vuka);
  }

  end(): Promise<unknown> {
    return this.team.end();
  }

  ask(...words: readonly string[]): ReturnType<AdminSession['ask']> {
    return this.team.ask(...words);
  }

  /** In a process of its own: for text output, and for a Vuka that is down. */
  vuka(...words: readonly string[]): Promise<Ran> {
    return this.script('vuka', words);
  }

  script(name: string, words: readonly string[]): Promise<Ran> {
    const command = this.typedOnce.has(name) ? commandOf(name) : [`tools/vuka/${name}.mjs`];
    this.typedOnce.add(name);
    return new Promise((resolve) => {
      const options = {
        cwd: ROOT,
        env: { ...process.env, VUKA_DATA_DIR: this.fixture.vuka.dataDir },
        timeout: COMMAND_WITHIN_MS,
      };
      execFile(process.execPath, [...command, ...words], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
    });
  }

  json(...words: readonly string[]): Promise<Told> {
    return this.team.tell(...words);
  }

  async typed(...words: readonly string[]): Promise<Told> {
    const { code, stdout, stderr } = await this.vuka(...words, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  async refusal(...words: readonly string[]): Promise<{ code: number; error: { code: string; message: string } }> {
    const { code, text } = await this.team.ask(...words);
    return { code, error: JSON.parse(text).error };
  }

  async send(number: string, reference: string, client = this.fixture.one): Promise<string> {
    const answer = await client.bankTransfer('KES', {
      amount: 500,
      account_number: accountNumber(number),
      bank_code: '01',
      reference,
      callback_url: this.fixture.receiver.url('/hook?token=sesame'),
    });
    expect(answer.status).toBe(200);
    return reference;
  }

  async untilState(code: string, state: string): Promise<void> {
    const at = async (): Promise<boolean> => (await this.json('show', code)).transaction.state === state;
    await until(at, { withinMs: 60_000, what: `${code} is ${state}`, everyMs: LOOK_EVERY_MS });
  }

  async receiptOf(code: string): Promise<string> {
    const [attempt] = (await this.json('show', code)).attempts;
    const { base_url, credential } = new ProviderBooks(this.fixture.vuka).provider('sandbox');
    const answer = await fetch(`${base_url}/v1/payouts/${attempt.provider_reference}`, {
      headers: { authorization: `Bearer ${credential}` },
    });
    return ((await answer.json()) as { receipt: string }).receipt;
  }

  sentAs(code: string): SentPayout {
    return this.fixture.one.sent.find((payout) => payout.code === code)!;
  }

  /** An invalid event, which only the folder's superuser can write. */
  async insertPoison(eventId: string): Promise<void> {
    const db = await connectToRunning(this.fixture.vuka.dataDir);
    await db.query(
      `insert into outbox (bucket, topic, key, sequence, event_id, envelope, created_at) values (3, 'payments.transaction.events.v1', 'poison', 1, $1, '{"not":"an event"}', $2)`,
      [eventId, new Date()],
    );
    await db.close();
  }
}
