import { Inject, Injectable } from '@nestjs/common';
import { chainNamed } from '@vuka/domain';
import type { Clock, Logger } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { COST, ENDING, SCREENED, SHORT, SUSPENDED, UNSURE, WITHHELD } from '../refunds/index.js';
import { RefundWatch } from './refund-watch.js';

/** Long enough for an endpoint to restart. */
const PATIENCE_MS = 5 * 60_000;
/** Key holders sign once in a while; a sandbox signs at once. */
const UNSIGNED_MS = 4 * 60 * 60_000;
/** An exported Stellar transfer may be included for a day. Elsewhere proof comes within minutes, or with the nonce. */
const endsWithinMs = (chain: string): number => (chainNamed(chain)?.family === 'stellar' ? 25 : 4) * 60 * 60_000;
/** Every chain finalises faster. */
const UNFINAL_MS = 60 * 60_000;

@Injectable()
export class PageRefunds {
  public constructor(
    @Inject(RefundWatch) private readonly watch: Pick<RefundWatch, 'open' | 'troubledSince'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const now = this.clock.now().getTime();
    const minutesSince = (at: Date): number => Math.floor((now - at.getTime()) / 60_000);
    for (const { chain, count, since, trouble, kind } of await this.watch.troubledSince(new Date(now - PATIENCE_MS), [
      SHORT,
      SCREENED,
      UNSURE,
      WITHHELD,
      SUSPENDED,
      COST,
      ENDING,
    ])) {
      // It ends by itself; its age alerts below.
      if (kind === ENDING) continue;
      const facts = { chain, refunds: count, minutes: minutesSince(since), trouble };
      if (kind === SHORT)
        this.log.error(
          { code: 'refund_wallet_short', ...facts },
          'the refund wallet has too little money, so refunds wait',
        );
      else if (kind === SCREENED)
        this.log.error(
          { code: 'refund_screened', ...facts },
          'screening marked the sender or the recipient of refunds: a person must decide',
        );
      else if (kind === WITHHELD)
        this.log.error(
          { code: 'refund_withheld', ...facts },
          'another deposit of the partner vanished, so the partner may owe money: a person must decide',
        );
      else if (kind === SUSPENDED)
        this.log.error(
          { code: 'refund_suspended', ...facts },
          'refunds of a suspended partner wait: resume the partner, or cancel the refunds',
        );
      else if (kind === COST)
        this.log.error(
          { code: 'refund_too_dear', ...facts },
          'the transfers of refunds cost too much: a person must decide',
        );
      else if (kind === UNSURE)
        this.log.error(
          { code: 'refund_fate_unsure', ...facts },
          'Vuka cannot tell whether refunds reached their chain: a person must check',
        );
      else
        this.log.error({ code: 'refunds_in_trouble', ...facts }, 'refunds cannot continue and wait: trouble says why');
    }
    for (const { chain, state, count, oldestAt } of await this.watch.open()) {
      const facts = { chain, refunds: count, minutes: minutesSince(oldestAt) };
      const ageMs = now - oldestAt.getTime();
      if (state === 'prepared' && ageMs > UNSIGNED_MS)
        this.log.error({ code: 'refunds_unsigned', ...facts }, 'refunds wait for their signature');
      if (state === 'ending' && ageMs > endsWithinMs(chain))
        this.log.error(
          { code: 'refunds_ending', ...facts },
          'refunds must end, but they were exported: the chain has not proven yet whether they were sent',
        );
      if ((state === 'signed' || state === 'broadcast') && ageMs > UNFINAL_MS)
        this.log.error(
          { code: 'refunds_not_final', state, ...facts },
          'signed refunds are not final for longer than usual',
        );
    }
  }
}
