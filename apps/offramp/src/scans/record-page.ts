import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '@vuka/domain';
import { Database, type Transaction } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import {
  ArrivalStore,
  type NewArrival,
  type PageInHand,
  ScanStore,
  type UnreadableArrival,
} from '../arrivals/index.js';
import type { ToldArrival } from '../chains/index.js';
import { DueClaims } from '../claims/index.js';
import { OrderClaims } from '../orders/index.js';
import { isUnreadable, readArrival } from './read-arrival.js';
import { WATCH_OVERLAP_MS } from './watched-addresses.js';

/** What a scan found up to `next`. */
export interface FoundPage {
  readonly arrivals: readonly ToldArrival[];
  readonly next: string;
  /** Time of the newest block that was looked through, epoch milliseconds; null: no newer one than before. */
  readonly scannedTo: number | null;
  readonly nextPageAt: Date;
}

/** `lapsed`: another process has it in hand by now. */
export type Recorded = 'recorded' | 'lapsed';

/** Opens claims for what came to orders (OrderClaims). */
export interface OpensClaims {
  open(tx: Transaction, chain: Chain, arrivals: readonly NewArrival[], now: Date): Promise<boolean>;
}

/**
 * Commits what was found together with the cursor that passes it, so that the cursor passes nothing that is not kept: an arrival is kept, or set
 * aside where it cannot be, and neither keeps the rest of the page from being kept. What came to an order has its claim in the same commit.
 */
@Injectable()
export class RecordPage {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'inTransaction'>,
    @Inject(OrderClaims) private readonly orders: OpensClaims,
    @Inject(DueClaims) private readonly claims: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async found(
    page: PageInHand,
    chain: Chain,
    { arrivals, next, scannedTo, nextPageAt }: FoundPage,
  ): Promise<Recorded> {
    const read = arrivals.map((told) => readArrival(chain, told));
    const kept = read.filter((arrival): arrival is NewArrival => !isUnreadable(arrival));
    const aside: UnreadableArrival[] = [];
    let isClaimed = false;
    const now = this.clock.now();
    const recorded = await this.db.inTransaction<Recorded>(
      async (tx) => {
        aside.length = 0;
        if (!(await ScanStore.lock(tx, page))) return 'lapsed';
        const fresh = await ArrivalStore.keep(tx, chain.name, kept, now);
        isClaimed = fresh.length > 0 && (await this.orders.open(tx, chain, fresh, now));
        for (const one of read)
          if (isUnreadable(one) && (await ArrivalStore.setAside(tx, chain.name, one, now))) aside.push(one);
        await ScanStore.move(tx, page, {
          cursor: next,
          scannedTo: scannedTo === null ? null : new Date(scannedTo),
          nextPageAt,
          now,
        });
        return 'recorded';
      },
      { retries: 2 },
    );
    if (recorded === 'lapsed') return recorded;
    if (isClaimed) this.claims.notify();
    for (const { transactionHash, address, reason } of aside) {
      this.log.error(
        { code: 'arrival_set_aside', chain: chain.name, transaction_hash: transactionHash, address, reason },
        'something that arrived cannot be kept as it was told; people look at it',
      );
    }
    if (page.cursor === null)
      this.log.info(
        { chain: chain.name, cursor: next },
        'arrivals are looked for from here on; what came before is not among them',
      );
    return recorded;
  }

  /** The blocks above are not the chain's any more: what was found there is gone unless it is seen again. `scannedTo`: time of the block to begin at. */
  public async reorganised(
    page: PageInHand,
    { back, aboveBlock, scannedTo }: { readonly back: string; readonly aboveBlock: number; readonly scannedTo: number },
  ): Promise<Recorded> {
    const now = this.clock.now();
    let gone = 0;
    const work = async (tx: Transaction): Promise<Recorded> => {
      if (!(await ScanStore.lock(tx, page))) return 'lapsed';
      // What this scan looks through again, and nothing that only the other one does.
      const overBy = page.kind === 'open' ? new Date(scannedTo - WATCH_OVERLAP_MS) : now;
      gone = await ArrivalStore.takeBack(tx, page.chain, {
        aboveBlock,
        ofOrdersOver: page.kind === 'closed',
        overBy,
        now,
      });
      await ScanStore.move(tx, page, {
        cursor: back,
        scannedTo: new Date(scannedTo),
        nextPageAt: now,
        now,
        isBack: true,
      });
      return 'recorded';
    };
    const recorded = await this.db.inTransaction(work, { retries: 2 });
    this.log.info(
      { chain: page.chain, above_block: aboveBlock, arrivals: gone },
      'a reorganisation: blocks are looked through again',
    );
    return recorded;
  }
}
