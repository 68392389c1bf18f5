import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { IncomingTransferStore, ScanStore, UNCLAIMED_AFTER_MS } from '../incoming-transfers/index.js';
import { SERVED_CHAIN_NAMES } from '../chains/index.js';

const SCAN_PATIENCE_MS = 15 * 60_000;
const NOTED_AT_ONCE = 10_000;

@Injectable()
export class WatchIncomingTransfers {
  public constructor(
    @Inject(IncomingTransferStore)
    private readonly incomingTransfers: Pick<IncomingTransferStore, 'noteClaimed' | 'tellUnclaimed'>,
    @Inject(ScanStore) private readonly scans: Pick<ScanStore, 'states'>,
    @Inject(SERVED_CHAIN_NAMES) private readonly served: ReadonlySet<string>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const now = this.clock.now();
    const minutesSince = (at: Date): number => Math.floor((now.getTime() - at.getTime()) / 60_000);
    await this.incomingTransfers.noteClaimed(now, NOTED_AT_ONCE);
    for (const { chain, count, oldestAt } of await this.incomingTransfers.tellUnclaimed(
      new Date(now.getTime() - UNCLAIMED_AFTER_MS),
      now,
    )) {
      this.log.error(
        { code: 'incoming_transfers_unclaimed', chain, incoming_transfers: count, minutes: minutesSince(oldestAt) },
        'value arrived that no pay or order has claimed',
      );
    }
    for (const { chain, kind, troubledSince, trouble } of await this.scans.states()) {
      if (
        !this.served.has(chain) ||
        troubledSince === null ||
        now.getTime() - troubledSince.getTime() < SCAN_PATIENCE_MS
      )
        continue;
      this.log.error(
        { code: 'chain_not_scanned', chain, scan: kind, minutes: minutesSince(troubledSince), trouble },
        'a chain is not scanned for incoming transfers. No transfer is skipped, and claimed deposits are still checked',
      );
    }
  }
}
