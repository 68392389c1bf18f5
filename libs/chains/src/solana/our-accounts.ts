import { setImmediate as others } from 'node:timers/promises';

import type { Token } from '@vuka/domain';

import { programOf, tokenAccountOf } from './token-programs.js';

/** Cached owners: deriving one takes 5 ms. */
const MOST_KEPT = 50_000;
const AT_A_STRETCH = 8;

/** One per owner and listed mint. */
export class OurAccounts {
  private readonly known = new Map<string, ReadonlyMap<string, string>>();

  constructor(private readonly tokens: readonly Pick<Token, 'address' | 'program'>[]) {}

  of(owner: string): ReadonlyMap<string, string> {
    const known = this.known.get(owner);
    if (known !== undefined) return known;
    const accounts = new Map(
      this.tokens.map((token) => [tokenAccountOf(owner, token.address, programOf(token)), token.address]),
    );
    for (const oldest of this.known.size >= MOST_KEPT ? this.known.keys() : []) {
      this.known.delete(oldest);
      break;
    }
    this.known.set(owner, accounts);
    return accounts;
  }

  /** Yields to other work in between. */
  async derive(owners: readonly string[]): Promise<void> {
    const unknown = owners.filter((owner) => !this.known.has(owner));
    for (let at = 0; at < unknown.length; at += AT_A_STRETCH) {
      for (const owner of unknown.slice(at, at + AT_A_STRETCH)) this.of(owner);
      await others();
    }
  }

  /** undefined: mint no longer listed. */
  accountOf(owner: string, mint: string): string | undefined {
    return [...this.of(owner)].find(([, of]) => of === mint)?.[0];
  }
}
