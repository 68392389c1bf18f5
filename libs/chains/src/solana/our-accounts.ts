import type { Token } from '@vuka/domain';

import { programOf, tokenAccountOf } from './token-programs.js';

/** Owners whose accounts are kept: deriving one takes some milliseconds. */
const MOST_KEPT = 10_000;

/** The token accounts of owners that are ours, one for each listed mint. */
export class OurAccounts {
  private readonly known = new Map<string, ReadonlyMap<string, string>>();

  constructor(private readonly tokens: readonly Pick<Token, 'address' | 'program'>[]) {}

  /** Token accounts with their mints. */
  of(owner: string): ReadonlyMap<string, string> {
    const known = this.known.get(owner);
    if (known !== undefined) return known;
    const accounts = new Map(this.tokens.map((token) => [tokenAccountOf(owner, token.address, programOf(token)), token.address]));
    if (this.known.size >= MOST_KEPT) this.known.clear();
    this.known.set(owner, accounts);
    return accounts;
  }

  /** The owner's account of one mint; undefined where that is listed no more. */
  accountOf(owner: string, mint: string): string | undefined {
    return [...this.of(owner)].find(([, of]) => of === mint)?.[0];
  }
}
