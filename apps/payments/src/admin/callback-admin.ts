import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Problem, type Result, faultOfWord, nameOf } from '@vuka/domain';
import {
  approvalPathOf,
  asksForApproval,
  callbackPathOf,
  type CallbackTokens,
  type PayoutProvider,
} from '@vuka/payouts';
import { Database, recordAuditEntry } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { CALLBACK_TOKENS, CLOCK, PAYOUT_PROVIDERS } from '@vuka/service-host';

export interface CallbacksView {
  /** Secret: whoever knows one can have us ask. A row each of callbacks and of approvals; the second path of one is the previous. */
  readonly paths: readonly { readonly provider: string; readonly paths: readonly string[] }[];
  /** Not handled yet. */
  readonly waiting: readonly { readonly provider: string; readonly callbacks: number; readonly oldest_at: string }[];
  /** About payouts that are not ours, the newest first. */
  readonly unknown: readonly UnknownCallbackView[];
}

export interface UnknownCallbackView {
  readonly id: number;
  readonly provider: string;
  readonly signed: boolean;
  /** With the provider's ids. */
  readonly detail: string;
  readonly received_at: string;
  readonly times: number;
}

const MOST_SHOWN = 100;

@Injectable()
export class CallbackAdmin {
  constructor(
    private readonly db: Database,
    @Inject(CALLBACK_TOKENS) private readonly tokens: CallbackTokens,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async read(): Promise<CallbacksView> {
    const asking = new Set(this.providers.filter(asksForApproval).map(({ id }) => id));
    const paths = [...this.tokens].flatMap(([provider, tokens]) => [
      { provider, paths: tokens.map((token) => callbackPathOf(provider, token)) },
      ...(asking.has(provider) ? [{ provider, paths: tokens.map((token) => approvalPathOf(provider, token)) }] : []),
    ]);
    const waiting = await this.db.query<{ provider: string; callbacks: number; oldest: Date }>(
      `select provider, count(*)::integer as callbacks, min(received_at) as oldest from provider_callbacks
        where due_at is not null group by provider order by provider`,
    );
    const unknown = await this.db.query<Omit<UnknownCallbackView, 'received_at'> & { received_at: Date }>(
      `select id::float8 as id, provider, coalesce(signed, false) as signed, detail, received_at, times from provider_callbacks
        where outcome = 'unknown' and resolved_at is null order by received_at desc limit $1`,
      [MOST_SHOWN],
    );
    return {
      paths,
      waiting: waiting.map(({ provider, callbacks, oldest }) => ({
        provider,
        callbacks,
        oldest_at: oldest.toISOString(),
      })),
      unknown: unknown.map((row) => ({ ...row, received_at: row.received_at.toISOString() })),
    };
  }

  /** Ends the alarm for what has come of this provider until now. Errors: invalid_request, not_found. */
  async resolve({
    provider,
    by,
    reason,
  }: {
    readonly provider: string;
    readonly by: string;
    readonly reason: string;
  }): Promise<Result<{ resolved: number }, Problem>> {
    const fault = faultOfWord({ by, reason });
    if (fault) return fail({ code: 'invalid_request', message: fault });
    const at = this.clock.now();
    const resolved = await this.db.inTransaction(async (tx) => {
      const rows = await tx.query(
        `update provider_callbacks set resolved_at = $2, resolved_by = $3
          where provider = $1 and outcome = 'unknown' and resolved_at is null returning 1`,
        [provider, at, nameOf(by)],
      );
      if (rows.length > 0)
        await recordAuditEntry(tx, {
          by: nameOf(by),
          act: 'callbacks.resolved',
          partnerId: null,
          subject: `${rows.length} callbacks of ${provider}`,
          reason: maskText(reason),
          at,
        });
      return rows.length;
    });
    if (resolved > 0) return ok({ resolved });
    return fail({ code: 'not_found', message: `No unknown callback of "${provider}" is open.` });
  }
}
