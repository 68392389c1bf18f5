import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '@vuka/domain';
import { Database, type Transaction } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import {
  IncomingTransferStore,
  type NewIncomingTransfer,
  type PageInHand,
  ScanStore,
  type UnreadableIncomingTransfer,
} from '../incoming-transfers/index.js';
import type { ToldIncomingTransfer } from '../chains/index.js';
import { DueClaims } from '../claims/index.js';
import { OrderClaims } from '../orders/index.js';
import { isUnreadable, readIncomingTransfer } from './read-incoming-transfer.js';
import { WATCH_OVERLAP_MS } from './watched-addresses.js';

export interface FoundPage {
  readonly incomingTransfers: readonly ToldIncomingTransfer[];
  readonly next: string;
  /** Epoch ms of the newest scanned block. null: no newer one. */
  readonly scannedTo: number | null;
  readonly nextPageAt: Date;
}

/** `lapsed`: another process has taken the page. */
export type Recorded = 'recorded' | 'lapsed';

export interface OpensClaims {
  open(tx: Transaction, chain: Chain, incomingTransfers: readonly NewIncomingTransfer[], now: Date): Promise<boolean>;
}

/**
 * Transfers and cursor are one commit, so the cursor passes nothing that is not kept. What cannot be kept is set aside.
 * An order's transfer gets its claim in the same commit.
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
    { incomingTransfers, next, scannedTo, nextPageAt }: FoundPage,
  ): Promise<Recorded> {
    const read = incomingTransfers.map((told) => readIncomingTransfer(chain, told));
    const kept = read.filter(
      (incomingTransfer): incomingTransfer is NewIncomingTransfer => !isUnreadable(incomingTransfer),
    );
    const aside: UnreadableIncomingTransfer[] = [];
    let isClaimed = false;
    const now = this.clock.now();
    const recorded = await this.db.inTransaction<Recorded>(
      async (tx) => {
        aside.length = 0;
        if (!(await ScanStore.lock(tx, page))) return 'lapsed';
        const fresh = await IncomingTransferStore.keep(tx, chain.name, kept, now);
        isClaimed = fresh.length > 0 && (await this.orders.open(tx, chain, fresh, now));
        for (const one of read)
          if (isUnreadable(one) && (await IncomingTransferStore.setAside(tx, chain.name, one, now))) aside.push(one);
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
        { code: 'incoming_transfer_set_aside', chain: chain.name, transaction_hash: transactionHash, address, reason },
        'an incoming transfer cannot be stored as reported: a person must look at it',
      );
    }
    if (page.cursor === null)
      this.log.info(
        { chain: chain.name, cursor: next },
        'the scan of incoming transfers starts here; earlier transfers are not included',
      );
    return recorded;
  }

  /**
   * Blocks above were removed: their transfers are reverted until seen again. `scannedTo`: epoch ms of the block to
   * restart at.
   */
  public async reorganised(
    page: PageInHand,
    { back, aboveBlock, scannedTo }: { readonly back: string; readonly aboveBlock: number; readonly scannedTo: number },
  ): Promise<Recorded> {
    const now = this.clock.now();
    let gone = 0;
    const work = async (tx: Transaction): Promise<Recorded> => {
      if (!(await ScanStore.lock(tx, page))) return 'lapsed';
      // Only addresses that this cursor will scan again.
      const overBy = page.kind === 'open' ? new Date(scannedTo - WATCH_OVERLAP_MS) : now;
      gone = await IncomingTransferStore.takeBack(tx, page.chain, {
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
      { chain: page.chain, above_block: aboveBlock, incoming_transfers: gone },
      'a reorganisation: blocks are scanned again',
    );
    return recorded;
  }
}
