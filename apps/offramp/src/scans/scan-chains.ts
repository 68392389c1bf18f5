import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '@vuka/domain';
import { answerWithin, type Clock, type Logger, WakeSignal } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { type PageInHand, ScanStore } from '../incoming-transfers/index.js';
import { type ChainsByName, type ScannedChain, type ScannedPage, ServedChains } from '../chains/index.js';
import { RecordPage } from './record-page.js';
import { hasClosedScan, WatchedAddresses } from './watched-addresses.js';

type FoundOne = Extract<ScannedPage, { kind: 'page' }>;

/** Time limit of a page. */
const PAGE_MS = 45_000;
/** Extra time before we stop waiting for a reader. */
const OVERRUN_MS = 1_000;
/** Longer than a page; after a crash a chain waits this long. */
export const SCAN_LEASE_MS = 60_000;
/** Nobody waits for this: claims are checked separately. */
export const SCAN_EVERY_MS = 10_000;
/** While an order waits for its payment. */
export const AWAITED_EVERY_MS = 2_000;
/** At the head, for closed orders. */
export const CLOSED_EVERY_MS = 24 * 3_600_000;

/**
 * Lease and fence per page; transfers and cursor are committed together, so trouble delays but skips nothing. A second
 * cursor scans daily for closed orders.
 * No page misses a new address: addresses are read after the page's last block exists (DepositReader.scan). One that is
 * committed later can be paid only in a later page's blocks. So no page is read again.
 */
@Injectable()
export class ScanChains {
  public readonly name = 'scan-chains';
  public readonly signal = new WakeSignal();
  private readonly inFlight = new Set<Promise<void>>();

  public constructor(
    @Inject(ScanStore) private readonly pages: Pick<ScanStore, 'take' | 'again'>,
    private readonly addresses: WatchedAddresses,
    private readonly record: RecordPage,
    @Inject(ServedChains) private readonly chains: ChainsByName<ScannedChain>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async tick(): Promise<boolean> {
    const { pages, chains, clock } = this;
    const now = clock.now();
    const twice = [...chains.values()]
      .filter(({ chain }) => hasClosedScan(chain.family))
      .map(({ chain }) => chain.name);
    const times = {
      now,
      leaseUntil: new Date(now.getTime() + SCAN_LEASE_MS),
      closedAt: new Date(now.getTime() + CLOSED_EVERY_MS),
    };
    for (const page of await pages.take([...chains.keys()], { twice, ...times })) this.begin(page);
    return false;
  }

  /** No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private begin(page: PageInHand): void {
    const { log, signal } = this;
    const work = this.read(page)
      .catch(async (error: unknown) => {
        log.error({ err: error, chain: page.chain }, 'a scan of a chain failed; it continues at the same block');
        await this.again(page, 'it failed because of a fault in Vuka');
      })
      // Then the lease expires.
      .catch(() => undefined)
      .then(() => {
        this.inFlight.delete(work);
        signal.notify();
      });
    this.inFlight.add(work);
  }

  private async read(page: PageInHand): Promise<void> {
    const { record, chains, clock } = this;
    const scanned = chains.get(page.chain);
    if (scanned === undefined) throw new Error(`${page.chain} is not served`);
    const { chain, reader } = scanned;
    const late: ScannedPage = { kind: 'trouble', reason: 'no answer in time' };
    const beganAt = clock.now().getTime();
    const scan = await answerWithin(
      PAGE_MS + OVERRUN_MS,
      reader.scan(page.cursor, () => this.addressesOf(page, chain), beganAt + PAGE_MS),
      late,
    );
    if (scan.kind === 'trouble') return this.again(page, scan.reason);
    if (scan.kind === 'reorganised') return void (await record.reorganised(page, scan));
    const endedAt = clock.now().getTime();
    await record.found(page, chain, {
      ...scan,
      nextPageAt: new Date(endedAt + this.pauseMs(page, chain, scan, endedAt - beganAt)),
    });
  }

  private addressesOf(page: PageInHand, chain: Chain): Promise<readonly string[]> {
    const { addresses, clock } = this;
    return page.kind === 'open'
      ? addresses.ofEveryPage(chain, page.scannedTo)
      : addresses.ofClosedOrders(chain.family, clock.now());
  }

  private pauseMs(page: PageInHand, chain: Chain, { isAtHead, scannedTo }: FoundOne, tookMs: number): number {
    const { addresses } = this;
    // Leave claims half of the endpoints' time.
    if (!isAtHead) return Math.min(tookMs, SCAN_EVERY_MS);
    if (page.kind === 'closed') {
      addresses.forgetClosed(chain.family);
      return CLOSED_EVERY_MS;
    }
    const isAwaited = addresses.isAwaited(chain, scannedTo === null ? page.scannedTo : new Date(scannedTo));
    return isAwaited ? Math.max(AWAITED_EVERY_MS, chain.blockMs) : SCAN_EVERY_MS;
  }

  private again(page: PageInHand, trouble: string): Promise<void> {
    const now = this.clock.now();
    return this.pages.again(page, { nextPageAt: new Date(now.getTime() + SCAN_EVERY_MS), trouble, now });
  }
}
