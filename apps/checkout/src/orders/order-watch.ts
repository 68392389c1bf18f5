import { Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

/** Open orders of one chain. */
export interface OpenOrders {
  readonly network: string;
  readonly count: number;
  /** The end that is longest ago, of those whose end is over; null: none is. */
  readonly oldestEnd: Date | null;
}

/** Orders of one chain that should have been judged. */
export interface StuckOrders {
  readonly network: string;
  readonly count: number;
  /** Of the first of them. */
  readonly since: Date;
  /** Those whose chain was not looked through past their end. */
  readonly unpassed: number;
}

/** Looks over all orders that are open, for metrics and for people. */
@Injectable()
export class OrderWatch {
  public constructor(private readonly db: Database) {}

  public open(now: Date): Promise<OpenOrders[]> {
    return this.db.query<OpenOrders>(
      `select network, count(*)::integer as count, min(expires_at) filter (where expires_at <= $1) as "oldestEnd"
       from orders where state in ('PENDING', 'PROCESSING') group by network order by network`,
      [now],
      { name: 'order_watch_open' },
    );
  }

  /** Past their end by `patienceMs`, and past the time of what may yet become final. */
  public stuck(now: Date, patienceMs: number, confirmMs: number): Promise<StuckOrders[]> {
    const [unpassedBy, finalBy] = [
      new Date(now.getTime() - patienceMs),
      new Date(now.getTime() - patienceMs - confirmMs),
    ];
    return this.db.query<StuckOrders>(
      `select network, count(*)::integer as count, min(expires_at) as since, count(*) filter (where passed_at is null)::integer as unpassed
       from orders where state in ('PENDING', 'PROCESSING') and expires_at <= $1 and (passed_at is null or greatest(expires_at, passed_at) <= $2)
       group by network order by network`,
      [unpassedBy, finalBy],
      { name: 'order_watch_stuck' },
    );
  }
}
