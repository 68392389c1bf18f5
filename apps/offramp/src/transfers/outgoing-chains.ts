import type { OutgoingTransfers } from '@vuka/chains';

/** Opens what sends on a chain; a script in tests. */
export type OpenOutgoing = (chain: string) => Promise<OutgoingTransfers>;

/** What sends on the chains that are served, each opened when a refund first needs it: most start-ups see none. */
export class OutgoingChains {
  private readonly opened = new Map<string, Promise<OutgoingTransfers>>();

  public constructor(
    private readonly served: ReadonlySet<string>,
    private readonly open: OpenOutgoing,
  ) {}

  public get names(): readonly string[] {
    return [...this.served];
  }

  public of(chain: string): Promise<OutgoingTransfers> {
    const known = this.opened.get(chain);
    if (known !== undefined) return known;
    if (!this.served.has(chain)) throw new Error(`${chain} is not served`);
    const opening = this.open(chain);
    this.opened.set(chain, opening);
    opening.catch(() => this.opened.delete(chain));
    return opening;
  }

  public async close(): Promise<void> {
    for (const one of await Promise.allSettled(this.opened.values()))
      if (one.status === 'fulfilled') await one.value.close();
  }
}
