import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Recipient } from '../partner/sent-payout.js';
import type { VukaProcess } from '../processes/vuka-process.js';

/** One line of a provider's own book (docs/engineers/sandbox-providers.md). */
export interface BookEntry {
  readonly sequence: number;
  readonly at: string;
  readonly id: string;
  readonly status: 'ACCEPTED' | 'PAID' | 'FAILED' | 'REVERSED';
  readonly amount: string;
  readonly currency: string;
  readonly recipient: Recipient;
  readonly receipt?: string;
  readonly name?: string;
  readonly code?: string;
}

export interface ProviderAddress {
  readonly id: string;
  readonly base_url: string;
  readonly credential: string;
}

const PAGE = 1_000;

export class ProviderBooks {
  constructor(private readonly vuka: Pick<VukaProcess, 'dataDir'>) {}

  async entries(): Promise<BookEntry[]> {
    const books = await Promise.all(this.providers().map(bookOf));
    return books.flat();
  }

  providers(): readonly ProviderAddress[] {
    const { providers } = this.read<{ providers: { id: string; base_url: string; secret: string }[] }>(
      'providers.json',
    );
    const secrets = this.read<Record<string, { credential: string }>>('provider-secrets.json');
    return providers.map(({ id, base_url, secret }) => ({
      id,
      base_url,
      credential: secrets[secret]?.credential ?? '',
    }));
  }

  provider(id: string): ProviderAddress {
    const found = this.providers().find((one) => one.id === id);
    if (found === undefined) throw new Error(`the folder has no provider ${id}`);
    return found;
  }

  private read<T>(name: string): T {
    return JSON.parse(readFileSync(join(this.vuka.dataDir, name), 'utf8')) as T;
  }
}

async function bookOf({ id, base_url, credential }: ProviderAddress): Promise<BookEntry[]> {
  const all: BookEntry[] = [];
  for (let after = 0, more = true; more;) {
    const answer = await fetch(`${base_url}/v1/book?after=${after}&limit=${PAGE}`, {
      headers: { authorization: `Bearer ${credential}` },
    });
    if (answer.status !== 200) throw new Error(`the book of ${id}: HTTP ${answer.status} ${await answer.text()}`);
    const page = (await answer.json()) as { entries: BookEntry[]; next_after: number; more: boolean };
    all.push(...page.entries);
    ({ next_after: after, more } = page);
  }
  return all;
}
