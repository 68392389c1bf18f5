import { sealRecords, type Database, type SealHead } from '@vuka/persistence';

import type { ServiceContext } from './service-context.js';

/** Heads are logged, so that whoever keeps the log has them outside the database. */
const LOG_EVERY_MS = 3_600_000;

/** Seals what this service has committed (docs/engineers/ledger.md, "The seal"). On failure an alarm, no outage. */
export function sealing(db: Database, { log, metrics, clock }: ServiceContext): () => Promise<void> {
  const blocks = metrics.gauge('vuka_seal_blocks', 'Number of the last sealed block', ['chain']);
  const logged = new Map<string, { readonly number: number; readonly at: number }>();
  const tell = ({ chain, epoch, number, hash }: SealHead): void => {
    blocks.set({ chain }, number);
    const last = logged.get(chain);
    const now = clock.now().getTime();
    if (last !== undefined && (last.number === number || now - last.at < LOG_EVERY_MS)) return;
    logged.set(chain, { number, at: now });
    log.info({ code: 'sealed', chain, epoch, number, hash }, 'sealed up to here');
  };
  return async () => {
    try {
      for (const head of await sealRecords(db)) tell(head);
    } catch (error) {
      log.error({ code: 'seal_failed', err: error }, 'records could not be sealed');
    }
  };
}
