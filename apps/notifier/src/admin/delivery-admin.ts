import { Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

import type { DeliveryError } from '../deliveries/index.js';

export interface PostStory {
  /** From 1. */
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** null: no answer, and `error` says why. */
  readonly status: number | null;
  readonly error: DeliveryError | null;
}

/** Only the URL's host: path and query may contain a token. */
export interface DeliveryStory {
  /** `<transaction id>_<sequence>`, as the receiver sees it. */
  readonly webhookId: string;
  readonly transactionId: number;
  readonly sequence: number;
  readonly partnerId: number;
  readonly event: string;
  /** `exhausted`: given up; `superseded`: by a newer one; `ended`: 410. */
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'superseded' | 'ended';
  /** With port. */
  readonly host: string;
  readonly attempts: number;
  readonly createdAt: Date;
  /** Due time, or the end of a claim; null if settled. */
  readonly nextAttemptAt: Date | null;
  readonly settledAt: Date | null;
}

export interface DeliveryWithPosts extends DeliveryStory {
  readonly posts: readonly PostStory[];
}

export interface GivenUpPage {
  readonly after?: Pick<DeliveryStory, 'settledAt' | 'webhookId'>;
  /** At most 200. */
  readonly limit: number;
}

const LONGEST_PAGE = 200;

/** Reads only, with or without a running notifier. */
@Injectable()
export class DeliveryAdmin {
  constructor(private readonly db: Database) {}

  /** In order of changes. */
  public async deliveriesOf(transactionId: number): Promise<DeliveryWithPosts[]> {
    const deliveries = await this.db.query<DeliveryStory & { id: string; occurredAt: Date }>(
      `select ${STORY}, id::text as "id", occurred_at as "occurredAt" from deliveries where transaction_id = $1 order by sequence, id`,
      [transactionId],
    );
    const posts = await this.db.query<PostStory & { deliveryId: string }>(
      `select a.delivery_id::text as "deliveryId", a.attempt, a.started_at as "startedAt", a.duration_ms as "durationMs", a.status, a.error
       from unnest($1::bigint[], $2::timestamptz[]) as d (id, occurred_at)
       join delivery_attempts a on a.delivery_id = d.id and a.occurred_at = d.occurred_at
       order by a.delivery_id, a.attempt`,
      [deliveries.map(({ id }) => id), deliveries.map(({ occurredAt }) => occurredAt)],
    );
    return deliveries.map(({ id, occurredAt: _, ...delivery }) => ({
      ...delivery,
      posts: posts.filter(({ deliveryId }) => deliveryId === id).map(({ deliveryId: __, ...post }) => post),
    }));
  }

  /** Given up longest ago first. */
  public async givenUp({ after, limit }: GivenUpPage): Promise<DeliveryStory[]> {
    const [transactionId = null, sequence = null] = after?.webhookId.split('_') ?? [];
    return this.db.query<DeliveryStory>(
      `select ${STORY} from deliveries
       where state = 'exhausted'
         and ($1::timestamptz is null or (settled_at, transaction_id, sequence) > ($1, $2::bigint, $3::integer))
       order by settled_at, transaction_id, sequence
       limit $4`,
      [after?.settledAt ?? null, transactionId, sequence, Math.min(limit, LONGEST_PAGE)],
    );
  }
}

const STORY = `
transaction_id || '_' || sequence as "webhookId", transaction_id::float8 as "transactionId", sequence, partner_id::float8 as "partnerId",
event_type as "event", state, host, attempts, created_at as "createdAt", next_attempt_at as "nextAttemptAt", settled_at as "settledAt"`;
