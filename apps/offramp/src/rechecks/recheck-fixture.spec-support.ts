import type { ChainHeights, Sighting } from '@vuka/domain';
import { WakeSignal } from '@vuka/runtime';

import { AddressStore } from '../addresses/address.store.js';
import { OwnAddresses } from '../addresses/own-addresses.js';
import { OfframpMetrics } from '../claim-work/offramp-metrics.js';
import { RecheckStore } from '../claims/recheck.store.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import { type CheckFixture, usdcOn } from '../testing/check-fixture.spec-support.js';
import { found, hashOf } from '../testing/offramp.spec-support.js';
import { RecheckDeposits } from './recheck-deposits.js';
import { AskAgain } from './recheck.js';
import { Rechecks } from './rechecks.js';
import { RecordReversal } from './record-reversal.js';
import { Returns } from './returns.js';
import { WatchReturns } from './watch-returns.js';

/** Block 100 is twelve deep: enough for a small deposit on CELO, but not finalized. */
export const SHALLOW: ChainHeights = { latest: 112, safe: 80, finalized: 60 };
/** Block 100 is final. */
export const PAST: ChainHeights = { latest: 200, safe: 150, finalized: 140 };

/** Block 100 is enough for a deposit on BNB, but not final. */
export const YOUNG: ChainHeights = { latest: 116, safe: 101, finalized: 101 };

export const GONE: Sighting = { kind: 'not_found' };

/** A thousand shillings, ten tokens. */
export function tenOn(
  chain: string,
  heights: ChainHeights,
  at: Date,
  more: { readonly block?: number; readonly value?: bigint } = {},
): Sighting {
  return found({
    at,
    heights,
    transfers: [{ token: usdcOn(chain), value: more.value ?? (chain === 'BNB' ? 10n ** 19n : 10n ** 7n) }],
    ...(more.block === undefined ? {} : { block: more.block }),
  });
}

interface Hands {
  readonly rechecks: Rechecks;
  readonly returns: Returns;
}

export function recheckerOf({ db, clock, log, chains, metrics, watch }: CheckFixture, readMs = 10_000): Hands {
  const store = new RecheckStore(db);
  const meters = new OfframpMetrics(metrics, watch, clock);
  const ask = new AskAgain(new Switches(new SwitchStore(db), clock), clock, readMs);
  const reversals = new RecordReversal(db, new WakeSignal(), meters, clock, log);
  const work = new RecheckDeposits(store, ask, reversals, meters, clock, log);
  const own = new OwnAddresses(new AddressStore(db), new Set());
  const back = new WatchReturns(db, own, ask, new WakeSignal(), clock, log);
  return {
    rechecks: new Rechecks(chains, clock, log, store, work),
    returns: new Returns(chains, clock, log, store, back),
  };
}

/** Rechecks and returns, in all processes at once. */
export async function recheckRound(...processes: Hands[]): Promise<void> {
  await Promise.all(processes.flatMap(({ rechecks, returns }) => [rechecks.tick(), returns.tick()]));
  await Promise.all(processes.flatMap(({ rechecks, returns }) => [rechecks.drain(), returns.drain()]));
}

/** A minute apart. */
export async function recheckRounds(fixture: CheckFixture, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    fixture.clock.advance(60_000);
    await recheckRound(recheckerOf(fixture));
  }
}

export function chainSays(
  fixture: CheckFixture,
  id: number,
  sighting: Sighting,
  heights?: ChainHeights,
  chain = 'CELO',
): void {
  fixture.reader(chain).says(hashOf(id), sighting);
  if (heights) fixture.reader(chain).tellsHeights = heights;
}

/** Judged while its block may still vanish. */
export async function paidShallow(fixture: CheckFixture, id: number, chain = 'CELO', partner = 1): Promise<void> {
  await fixture.addresses.ofPartner(partner, 'evm');
  fixture.reader(chain).says(hashOf(id), tenOn(chain, chain === 'BNB' ? YOUNG : SHALLOW, fixture.clock.now()));
  await fixture.take({ transactionId: id, chain, partner_id: partner });
  await fixture.round(fixture.checker());
}

export interface DepositRow {
  readonly id: number;
  readonly claim: number;
  readonly state: string;
  readonly block: number;
  readonly final: boolean;
  readonly missing: boolean;
  readonly due: boolean;
}

export function depositRows({ db }: CheckFixture): Promise<DepositRow[]> {
  return db.query(`select id::integer as id, claim_id::float8 as claim, state, block_number::integer as block, finalized_at is not null as final,
    missing_since is not null as missing, recheck_at is not null as due from deposits order by id`);
}

export async function toldOf({ db }: CheckFixture, type: string): Promise<Record<string, unknown>[]> {
  const rows = await db.query<{ data: Record<string, unknown> }>(
    `select envelope::jsonb -> 'data' as data from outbox where envelope::jsonb ->> 'type' = $1 order by xid, id`,
    [type],
  );
  return rows.map(({ data }) => data);
}
