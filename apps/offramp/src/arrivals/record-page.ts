import type { Chain } from '@vuka/domain';
import type { Database, Transaction } from '@vuka/persistence';
import { crashPoint, type Clock, type Logger } from '@vuka/platform';

import { ArrivalStore, type NewArrival, type UnreadableArrival } from '../store/arrival.store.js';
import { ScanStore, type PageInHand } from '../store/scan.store.js';
import type { GivenAddresses } from './given-addresses.js';
import { isUnreadable, readArrival, type ToldArrival } from './read-arrival.js';

/** What a scan found up to `next`. */
export interface FoundPage {
  readonly arrivals: readonly ToldArrival[];
  readonly next: string;
  readonly nextPageAt: Date;
}

/** `lapsed`: another process has it in hand by now. `stale`: an address was given meanwhile, and the page was not looked through for it. */
export type Recorded = 'recorded' | 'lapsed' | 'stale';

/**
 * Commits what was found together with the cursor that passes it, so that the cursor passes nothing that is not kept: an arrival is kept, or set
 * aside where it cannot be, and neither keeps the rest of the page from being kept.
 */
export class RecordPage {
  public constructor(
    private readonly db: Pick<Database, 'inTransaction'>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  public async found(page: PageInHand, chain: Chain, given: GivenAddresses, { arrivals, next, nextPageAt }: FoundPage): Promise<Recorded> {
    const read = arrivals.map((told) => readArrival(chain, { ...told, address: given.asGiven(told.address) }));
    const kept = read.filter((arrival): arrival is NewArrival => !isUnreadable(arrival));
    const aside: UnreadableArrival[] = [];
    const now = this.clock.now();
    const recorded = await this.db.inTransaction<Recorded>(async (tx) => {
      aside.length = 0;
      if (!(await ScanStore.lock(tx, page))) return 'lapsed';
      // What is given after this is paid to in blocks that come after those that were read.
      if ((await ScanStore.addressesGiven(tx, chain.family)) !== given.count) {
        await ScanStore.stay(tx, chain.name, now);
        return 'stale';
      }
      await ArrivalStore.keep(tx, chain.name, kept, now);
      for (const one of read) if (isUnreadable(one) && (await ArrivalStore.setAside(tx, chain.name, one, now))) aside.push(one);
      await ScanStore.move(tx, chain.name, { cursor: next, nextPageAt, now });
      if (kept.length > 0) crashPoint('offramp.before-page');
      return 'recorded';
    }, { retries: 2 });
    if (kept.length > 0) crashPoint('offramp.after-page');
    for (const { transactionHash, address, reason } of aside) {
      this.log.error({ code: 'arrival_set_aside', chain: chain.name, transaction_hash: transactionHash, address, reason }, 'something that arrived cannot be kept as it was told; people look at it');
    }
    // Where no address has been given yet, nothing can have come before.
    if (recorded === 'recorded' && page.cursor === null && given.count > 0) {
      this.log.info({ chain: chain.name, addresses: given.count, cursor: next }, 'arrivals are looked for from here on; what came before is not among them');
    }
    return recorded;
  }

  /** The blocks above are not the chain's any more: what was found there is gone unless it is seen again. */
  public async reorganised(page: PageInHand, back: string, aboveBlock: number): Promise<Recorded> {
    const now = this.clock.now();
    let gone = 0;
    const work = async (tx: Transaction): Promise<Recorded> => {
      if (!(await ScanStore.lock(tx, page))) return 'lapsed';
      gone = await ArrivalStore.takeBack(tx, page.chain, aboveBlock, now);
      await ScanStore.move(tx, page.chain, { cursor: back, nextPageAt: now, now });
      return 'recorded';
    };
    const recorded = await this.db.inTransaction(work, { retries: 2 });
    this.log.info({ chain: page.chain, above_block: aboveBlock, arrivals: gone }, 'a reorganisation: blocks are looked through again');
    return recorded;
  }
}
