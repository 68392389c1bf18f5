import type { Envelope, EventType, OrderReservation } from '@vuka/contracts';
import {
  acceptedTokens,
  chainNamed,
  type Chain,
  type ChainHeights,
  type SightedTransfer,
  type Result,
  type Sighting,
} from '@vuka/domain';
import { WakeSignal } from '@vuka/runtime';

import type { DepositAddresses } from '../addresses/deposit-addresses.js';
import type { ScanStore } from '../incoming-transfers/scan.store.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import type { CheckFixture } from '../testing/check-fixture.spec-support.js';
import { found, hashOf, SENDER } from '../testing/offramp.spec-support.js';
import { OrderClaims } from './open-order-claims.js';
import { OrderChains } from './order-chains.js';
import type { OrderDatabase } from './order-watch.store.js';
import { PassWatches } from './pass-watches.js';
import { type ReserveInput, ReserveOrder } from './reserve-order.js';

export const FIRST = 5_000_000_000_000_000;
export const LIVES_S = 420;
export const CONTEXT = { requestId: 'request-1', traceparent: '00-trace-1', deadline: Number.POSITIVE_INFINITY };

/** 1,293.50 shillings: ten tokens at the tests' rate. */
export const orderOf = (orderNumber: number, more: Partial<ReserveInput> = {}): ReserveInput => ({
  order_number: orderNumber,
  partner_id: 1,
  currency: 'KES',
  amount_minor: '129350',
  chain: 'CELO',
  asset: 'USDC',
  lives_s: LIVES_S,
  most_usd_cents: '100000000',
  ...more,
});

interface ReserverParts {
  readonly db?: OrderDatabase;
  readonly addresses?: DepositAddresses;
  readonly scans?: Pick<ScanStore, 'hasBegun'>;
  readonly served?: ReadonlySet<string>;
  readonly pause?: (ms: number) => Promise<unknown>;
}

export const reserver = (fixture: CheckFixture, more: ReserverParts = {}): ReserveOrder => {
  const { rates, clock } = fixture;
  const { db = fixture.db, addresses = fixture.addresses, served = new Set(fixture.chains.keys()) } = more;
  const { scans = { hasBegun: async () => true }, pause } = more;
  const chains = new OrderChains(served, new Switches(new SwitchStore(fixture.db), clock), scans, clock, pause);
  return new ReserveOrder(db, rates, addresses, chains, clock);
};

export async function reserved(
  fixture: CheckFixture,
  orderNumber: number,
  more: Partial<ReserveInput> = {},
): Promise<OrderReservation> {
  return valueOf(await reserver(fixture).run(orderOf(orderNumber, more), CONTEXT));
}

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}

export const chainOf = (name: string): Chain => chainNamed(name) ?? missing(name);
const tokenOf = (chain: string, symbol: string): Chain['tokens'][number] =>
  acceptedTokens(chainOf(chain)).find((token) => token.symbol === symbol) ?? missing(symbol);

function missing(what: string): never {
  throw new Error(`there is no ${what}`);
}

export interface Came {
  readonly chain?: string;
  readonly symbol?: string;
  /** Whole tokens. */
  readonly tokens?: number;
  readonly from?: string;
  readonly at?: Date;
  readonly block?: number;
  readonly heights?: ChainHeights;
  readonly isYoung?: boolean;
}

const transferOf = ({ chain = 'CELO', symbol = 'USDC', tokens = 10, from = SENDER }: Came): SightedTransfer => {
  const { address, decimals } = tokenOf(chain, symbol);
  return { token: address, from, value: BigInt(Math.round(tokens * 1e6)) * 10n ** BigInt(decimals - 6), ordinal: 0 };
};

export function sightingOf(fixture: CheckFixture, came: Came): Sighting {
  const { at = fixture.clock.now(), block, heights, isYoung } = came;
  return found({
    at,
    transfers: [transferOf(came)],
    ...(block !== undefined && { block }),
    ...(heights && { heights }),
    ...(isYoung !== undefined && { isYoung }),
  });
}

export function scanFinds(
  fixture: CheckFixture,
  id: number,
  address: string,
  came: Came & { readonly isDust?: boolean; readonly isListed?: boolean } = {},
): Promise<boolean> {
  const {
    chain = 'CELO',
    symbol = 'USDC',
    block = 100,
    at = fixture.clock.now(),
    isDust = false,
    isListed = true,
  } = came;
  const { token, value, from } = transferOf(came);
  const incomingTransfer = {
    transactionHash: hashOf(id),
    address,
    ordinal: 0,
    token,
    symbol: isListed ? symbol : null,
    amountMinor: value,
    sender: from,
    isDust,
    block: { number: block, hash: hashOf(block), time: at },
  };
  return fixture.db.inTransaction((tx) =>
    new OrderClaims().open(tx, chainOf(chain), [incomingTransfer], fixture.clock.now()),
  );
}

export async function scanned(fixture: CheckFixture, to: Date, chain = 'CELO'): Promise<void> {
  await fixture.db.query(
    'insert into scan_cursors (chain, next_page_at, scanned_to) values ($1, $2, $2) on conflict (chain) do update set scanned_to = $2',
    [chain, to],
  );
}

export const passer = ({ db, clock }: CheckFixture): PassWatches => new PassWatches(db, new WakeSignal(), clock);

/** A page and a check both find the transfer; with a new block it has moved. */
export async function comes(fixture: CheckFixture, id: number, address: string, came: Came = {}): Promise<void> {
  fixture.reader(came.chain ?? 'CELO').says(hashOf(id), sightingOf(fixture, came));
  await scanFinds(fixture, id, address, came);
}

export async function toldOfOrder<T extends EventType>(
  { db }: CheckFixture,
  orderNumber: number,
): Promise<Envelope<T>[]> {
  const rows = await db.query<{ envelope: Envelope<T> }>(
    'select envelope::jsonb as envelope from outbox where key = $1 order by xid, id',
    [String(orderNumber)],
  );
  return rows.map(({ envelope }) => envelope);
}

export async function kindsOf(fixture: CheckFixture, orderNumber: number): Promise<string[]> {
  return (await toldOfOrder(fixture, orderNumber)).map(
    ({ type, sequence }) => `${type.replace('order-', '')} ${sequence}`,
  );
}

/** A second later, so that a claim that waits a second is due. */
export async function checks(
  fixture: CheckFixture,
  rounds = 1,
  differences: Parameters<CheckFixture['checker']>[0] = {},
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await fixture.round(fixture.checker(differences));
    fixture.clock.advance(60_000);
  }
}
