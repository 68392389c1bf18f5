import { setImmediate as others } from 'node:timers/promises';

import type { Token } from '@vuka/domain';

import { programOf, tokenAccountOf } from './token-programs.js';

/** Owners whose accounts are kept: deriving those of one takes five milliseconds. */
const MOST_KEPT = 50_000;
/** Owners whose accounts are derived without a pause. */
const AT_A_STRETCH = 8;

/** The token accounts of owners that are ours, one for each listed mint. */
export class OurAccounts {
  private readonly known = new Map<string, ReadonlyMap<string, string>>();

  constructor(private readonly tokens: readonly Pick<Token, 'address' | 'program'>[]) {}

  /** Token accounts with their mints. */
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

  /** Has those of all of them at hand, and lets others work in between. */
  async derive(owners: readonly string[]): Promise<void> {
    const unknown = owners.filter((owner) => !this.known.has(owner));
    for (let at = 0; at < unknown.length; at += AT_A_STRETCH) {
      for (const owner of unknown.slice(at, at + AT_A_STRETCH)) this.of(owner);
      await others();
    }
  }

  /** The owner's account of one mint; undefined where that is listed no more. */
  accountOf(owner: string, mint: string): string | undefined {
    return [...this.of(owner)].find(([, of]) => of === mint)?.[0];
  }
}
