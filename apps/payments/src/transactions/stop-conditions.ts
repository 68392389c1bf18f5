import { FROZEN_SQL } from './chain-exit-blocks.store.js';

export const AGAINST_ITS_END = `i.event in ('submitted', 'unknown', 'mismatch')`;

/** A provider contradicts its "not paid": until resolved, nothing more is sent for the transaction. */
export const CONTRADICTS = `i.resolved_at is null and ${AGAINST_ITS_END}`;

/** Of a row of `attempts`, as all below. */
export const CONTRADICTED = `exists (select from incidents i where i.transaction_id = attempts.transaction_id and ${CONTRADICTS})`;

export const PAID_ALREADY = `exists (select from duplicate_payment g where g.transaction_id = attempts.transaction_id and g.unwound_at is null)`;

/** For the `with` of a query that asks STOPS. */
export const STOPPED_PARTNERS = `stopped as materialized (${FROZEN_SQL})`;

/** For the `with` of a query that asks CORRIDOR_OFF. */
export const SWITCHED_OFF = `switched_off as materialized (select provider, currency, kind, network from corridor_switches where lifted_at is null)`;

/** People have switched its provider off, or this corridor of it. */
export const CORRIDOR_OFF = `exists (select from switched_off o where o.provider = attempts.provider and (o.currency is null or exists (
      select from transactions p join destinations d on d.transaction_id = p.id where p.id = attempts.transaction_id and p.currency = o.currency
        and (o.kind is null or d.kind = o.kind) and (o.network is null or d.mobile_network = o.network) offset 0)))`;

/**
 * A payment stands already, its deposit has vanished, or its partner is stopped. `offset 0` keeps the planner from
 * reading all deposits.
 */
export const STOPS = `(
      ${PAID_ALREADY}
      or exists (select from deposits v join vanished_deposits g on g.deposit_id = v.deposit_id where v.transaction_id = attempts.transaction_id and v.is_main offset 0)
      or exists (select from transactions p join stopped s on s.partner_id = p.partner_id where p.id = attempts.transaction_id offset 0))`;
