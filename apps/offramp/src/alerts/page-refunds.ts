import { CHAINS, chainNamed } from '@vuka/domain';
import type { Clock, GaugeMetric, Logger, Metrics } from '@vuka/runtime';

import { COST, ENDING, SCREENED, SHORT, SUSPENDED, UNSURE, WITHHELD } from '../refunds/index.js';
import type { OpenRefunds, RefundWatch } from './refund-watch.js';

/** An endpoint that is restarted is nobody's concern yet. */
const PATIENCE_MS = 5 * 60_000;
/** Who holds the key has a day's work besides; a sandbox signs at once. */
const UNSIGNED_MS = 4 * 60 * 60_000;
/** What is exported on Stellar may get in for a day; elsewhere it is proven dead within minutes, or once its nonce is used. */
const endsWithinMs = (chain: string): number => (chainNamed(chain)?.family === 'stellar' ? 25 : 4) * 60 * 60_000;
/** No chain takes so long to make a transfer final. */
const UNFINAL_MS = 60 * 60_000;
const STATES = ['queued', 'prepared', 'signed', 'broadcast', 'ending'];

/** Says aloud which refunds wait for people: a signature, money in a wallet, a chain that answers or makes final. */
export class PageRefunds {
  public constructor(
    private readonly watch: Pick<RefundWatch, 'open' | 'troubledSince'>,
    private readonly clock: Clock,
    private readonly log: Logger,
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
      // It ends by itself; where it does not, its age says so below.
      if (kind === ENDING) continue;
      const facts = { chain, refunds: count, minutes: minutesSince(since), trouble };
      if (kind === SHORT)
        this.log.error({ code: 'refund_wallet_short', ...facts }, 'the refund wallet has too little: refunds wait');
      else if (kind === SCREENED)
        this.log.error(
          { code: 'refund_screened', ...facts },
          'screening has marked whose value goes back, or to whom: people decide',
        );
      else if (kind === WITHHELD)
        this.log.error(
          { code: 'refund_withheld', ...facts },
          'another deposit of the partner has vanished, which may owe for it: people decide',
        );
      else if (kind === SUSPENDED)
        this.log.error(
          { code: 'refund_suspended', ...facts },
          'refunds of a suspended partner wait: people resume it, or give them up',
        );
      else if (kind === COST)
        this.log.error(
          { code: 'refund_too_dear', ...facts },
          'the transfers of refunds cost more than they may: people decide',
        );
      else if (kind === UNSURE)
        this.log.error(
          { code: 'refund_fate_unsure', ...facts },
          'whether refunds got onto their chain cannot be told from here: people have to look',
        );
      else this.log.error({ code: 'refunds_in_trouble', ...facts }, 'refunds cannot go on; they wait');
    }
    for (const { chain, state, count, oldestAt } of await this.watch.open()) {
      const facts = { chain, refunds: count, minutes: minutesSince(oldestAt) };
      const ageMs = now - oldestAt.getTime();
      if (state === 'prepared' && ageMs > UNSIGNED_MS)
        this.log.error({ code: 'refunds_unsigned', ...facts }, 'refunds wait for their signature');
      if (state === 'ending' && ageMs > endsWithinMs(chain))
        this.log.error(
          { code: 'refunds_ending', ...facts },
          'refunds are to end, and a signer was shown them: whether they were sent is not proven yet',
        );
      if ((state === 'signed' || state === 'broadcast') && ageMs > UNFINAL_MS)
        this.log.error(
          { code: 'refunds_not_final', state, ...facts },
          'refunds are signed and not final, for longer than usual',
        );
    }
  }
}

/** What refunds tell Prometheus; looked up at each scrape. */
export function meterRefunds(metrics: Metrics, watch: Pick<RefundWatch, 'open'>, clock: Clock): void {
  const collect = (value: (group: OpenRefunds) => number) => ({
    collect: (gauge: GaugeMetric<'chain' | 'state'>) => setAll(gauge, watch, value),
  });
  metrics.gauge(
    'vuka_offramp_open_refunds',
    'Refunds that have not ended: to be prepared, to be signed, signed, given to the chain, to end once it is proven that they never got in',
    ['chain', 'state'],
    collect(({ count }) => count),
  );
  const ageOf = ({ oldestAt }: OpenRefunds): number => Math.max(0, clock.now().getTime() - oldestAt.getTime()) / 1_000;
  metrics.gauge(
    'vuka_offramp_oldest_refund_seconds',
    'Age of the oldest refund that has not ended; of signed ones since their signature',
    ['chain', 'state'],
    collect(ageOf),
  );
}

/** A database that is away leaves the gauge as it was. */
async function setAll(
  gauge: GaugeMetric<'chain' | 'state'>,
  watch: Pick<RefundWatch, 'open'>,
  value: (group: OpenRefunds) => number,
): Promise<void> {
  const groups = await watch.open().catch(() => null);
  if (groups === null) return;
  for (const { name: chain } of CHAINS) {
    for (const state of STATES) {
      const group = groups.find((one) => one.chain === chain && one.state === state);
      gauge.set({ chain, state }, group === undefined ? 0 : value(group));
    }
  }
}
