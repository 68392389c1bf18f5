import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Problem, type Result, faultOfWord, nameOf } from '@vuka/domain';
import { recordAuditEntry, Database } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { TransactionStore } from '../transactions/index.js';
import { MoneyTroubleReader } from './readers/money-trouble-reader.js';
import type { IncidentView } from './readers/views.js';

/** Records who resolved it and how. Moves no money; a transaction that waited is due at once. */
@Injectable()
export class ResolveIncident {
  constructor(
    private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Masks long digits. Errors: not_found; invalid_request if resolved already. */
  async run(id: number, by: string, note: string): Promise<Result<IncidentView, Problem>> {
    const fault = faultOfWord({ by, reason: note });
    if (fault) return fail({ code: 'invalid_request', message: fault });
    const [at, kept] = [this.clock.now(), maskText(note)];
    const { isClosed, incident } = await this.db.inTransaction(async (tx) => {
      // Lock order of commits: the transaction first.
      const [about] = await tx.query<{ id: string }>(
        'select t.id from transactions t join incidents i on i.transaction_id = t.id where i.id = $1 for no key update of t',
        [id],
      );
      const closed = await tx.query(
        `update incidents set resolved_at = $2, resolved_by = $3, resolution = $4 where id = $1 and resolved_at is null returning id`,
        [id, at, nameOf(by), kept],
      );
      if (about && closed.length > 0) await new TransactionStore(tx).wake(Number(about.id), at);
      const found = await new MoneyTroubleReader(tx).incidentById(id);
      if (closed.length > 0)
        await recordAuditEntry(tx, {
          by: nameOf(by),
          act: 'incident.resolved',
          partnerId: found?.partner_id ?? null,
          subject: `incident ${id}`,
          reason: kept,
          at,
        });
      return { isClosed: closed.length > 0, incident: found };
    });
    if (!incident) return fail({ code: 'not_found', message: `There is no incident ${id}.` });
    if (isClosed) return ok(incident);
    return fail({
      code: 'invalid_request',
      message: `Incident ${id} was resolved by ${incident.resolved_by ?? 'somebody'} at ${incident.resolved_at ?? '?'}.`,
    });
  }
}
