import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { VukaProcess } from './vuka-process.js';

/** One line of the rail's own book (docs/sandbox-rail.md). */
export interface BookEntry {
  readonly sequence: number;
  readonly at: string;
  readonly id: string;
  readonly status: 'ACCEPTED' | 'PAID' | 'FAILED';
  readonly amount: string;
  readonly currency: string;
  readonly recipient: { readonly account_number: string; readonly bank_code: string };
  readonly receipt?: string;
  readonly name?: string;
  readonly code?: string;
}

interface RailAddress {
  readonly base_url: string;
  readonly credential: string;
}

const PAGE = 1_000;

/** Reads the sandbox rail's book over its own HTTP, as the rail's operator would: nothing of Vuka's is asked. */
export class RailBook {
  constructor(private readonly vuka: VukaProcess) {}

  /** The whole book from the beginning, in order. */
  async entries(): Promise<BookEntry[]> {
    const { base_url, credential } = railAddress(this.vuka);
    const all: BookEntry[] = [];
    for (let after = 0, more = true; more; ) {
      const answer = await fetch(`${base_url}/v1/book?after=${after}&limit=${PAGE}`, { headers: { authorization: `Bearer ${credential}` } });
      if (answer.status !== 200) throw new Error(`the rail's book: HTTP ${answer.status} ${await answer.text()}`);
      const page = (await answer.json()) as { entries: BookEntry[]; next_after: number; more: boolean };
      all.push(...page.entries);
      ({ next_after: after, more } = page);
    }
    return all;
  }
}

/** Where the rail of this start listens, and what opens it. */
function railAddress(vuka: VukaProcess): RailAddress {
  return JSON.parse(readFileSync(join(vuka.dataDir, 'sandbox-rail.json'), 'utf8')) as RailAddress;
}
