import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '@vuka/domain';
import { answerWithin, type Clock, type Logger, WakeSignal } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { type PageInHand, ScanStore } from '../incoming-transfers/index.js';
import { type ChainsByName, type ScannedChain, type ScannedPage, ServedChains } from '../chains/index.js';
import { RecordPage } from './record-page.js';
import { hasClosedScan, WatchedAddresses } from './watched-addresses.js';

type FoundOne = Extract<ScannedPage, { kind: 'page' }>;

/** How long a page may take. */
const PAGE_MS = 45_000;
/** A reader that overruns its bound by more is not waited for. */
const OVERRUN_MS = 1_000;
/** Longer than a page and its recording take; after a crash this is how long a chain waits to be looked through again. */
export const SCAN_LEASE_MS = 60_000;
/** At the head of a chain, and in trouble. Nobody waits for an incoming transfer: claims are looked at by themselves. */
export const SCAN_EVERY_MS = 10_000;
/** At the head of a chain on which an order waits for what is paid to it; no oftener than there are blocks. */
export const AWAITED_EVERY_MS = 2_000;
/** At the head, for orders that are over. */
export const CLOSED_EVERY_MS = 24 * 3_600_000;

/**
 * Looks every served chain through for what arrives at addresses of ours, page after page with a pause as long as the page took, each under a lease and a fence: what was found and the
 * cursor that passes it are committed together, so that nothing is passed that is not kept, and trouble makes a chain wait and skips nothing. A second cursor goes through each
 * chain once a day for the addresses of orders that are over.
 *
 * No page is ever stale. Its addresses are read from the database after its last block was there (DepositReader.scan), so an address is in it, or was committed later still; and before
 * that commit nobody was told of it, so whoever pays to it does so in a block that is made after the page's last, which is a later page's. A stream of new addresses
 * makes no page be read again.
 */
@Injectable()
export class ScanChains {
  public readonly name = 'scan-chains';
  /** Notified here where more can be read at once. */
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

  /** One round: takes the pages that are due and begins to read them. */
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

  /** Waits for the pages under way. No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private begin(page: PageInHand): void {
    const { log, signal } = this;
    const work = this.read(page)
      .catch(async (error: unknown) => {
        log.error({ err: error, chain: page.chain }, 'a check through a chain failed; it is begun again where it was');
        await this.again(page, 'it failed for a reason of ours');
      })
      // Then the lease lapses.
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
    // Claims, whom somebody waits for, ask the same endpoints: half of the time is theirs alone.
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
