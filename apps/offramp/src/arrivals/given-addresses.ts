import type { ChainFamily } from '@vuka/domain';
import type { Database } from '@vuka/persistence';

import { AddressStore } from '../store/address.store.js';
import { ScanStore } from '../store/scan.store.js';

const AT_ONCE = 1_000;

/** All addresses of a family that were ever given, as of one moment. */
export class GivenAddresses {
  private readonly byMeaning: ReadonlyMap<string, string>;

  public constructor(
    public readonly all: readonly string[],
    private readonly family: ChainFamily,
  ) {
    this.byMeaning = new Map(all.map((address) => [this.meaningOf(address), address]));
  }

  public get count(): number {
    return this.all.length;
  }

  /** A chain may tell an address in another letter case than it was given in: it is the same one. */
  public asGiven(address: string): string {
    return this.byMeaning.get(this.meaningOf(address)) ?? address;
  }

  private meaningOf(address: string): string {
    return this.family === 'evm' ? address.toLowerCase() : address;
  }
}

/** Read anew where there are more of them than were known: none is ever taken away. */
export class ReadGivenAddresses {
  private readonly known = new Map<ChainFamily, GivenAddresses>();
  private readonly store: AddressStore;

  public constructor(private readonly db: Pick<Database, 'query'>) {
    this.store = new AddressStore(db);
  }

  public async of(family: ChainFamily): Promise<GivenAddresses> {
    const known = this.known.get(family);
    if (known !== undefined && known.count === (await ScanStore.addressesGiven(this.db, family))) return known;
    const all: string[] = [];
    for (let after = -1; ; ) {
      const page = await this.store.given(family, after, AT_ONCE);
      all.push(...page.map(({ address }) => address));
      const last = page.at(-1);
      if (last === undefined || page.length < AT_ONCE) break;
      after = last.index;
    }
    const given = new GivenAddresses(all, family);
    this.known.set(family, given);
    return given;
  }
}
