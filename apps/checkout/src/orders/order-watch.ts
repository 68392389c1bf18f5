import { Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

export interface OpenOrders {
  readonly network: string;
  readonly count: number;
  /** Oldest past end; null: none. */
  readonly oldestEnd: Date | null;
}

/** Orders overdue for a judgement. */
export interface StuckOrders {
  readonly network: string;
  readonly count: number;
  readonly since: Date;
  /** Their chain was not scanned past their end. */
  readonly unpassed: number;
}

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

  /** Past their end by `patienceMs`, and by the time for finality. */
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
