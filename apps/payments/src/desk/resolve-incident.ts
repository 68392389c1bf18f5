import { fail, ok, type Problem, type Result } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { maskText, type Clock } from '@vuka/platform';

import type { MoneyTroubleReader } from './money-trouble-reader.js';
import type { IncidentView } from './views.js';

/** Closes an incident: who has seen to it, and what was done. It moves no money and no transaction. */
export class ResolveIncident {
  constructor(
    private readonly db: Database,
    private readonly troubles: MoneyTroubleReader,
    private readonly clock: Clock,
  ) {}

  /** Long digits in the note are masked before it is kept. Errors: not_found; invalid_request where somebody was first. */
  async run(id: number, by: string, note: string): Promise<Result<IncidentView, Problem>> {
    const closed = await this.db.query(
      `update incidents set resolved_at = $2, resolved_by = $3, resolution = $4 where id = $1 and resolved_at is null returning id`,
      [id, this.clock.now(), by, maskText(note)],
    );
    const incident = await this.troubles.incidentById(id);
    if (!incident) return fail({ code: 'not_found', message: `There is no incident ${id}.` });
    if (closed.length > 0) return ok(incident);
    return fail({ code: 'invalid_request', message: `Incident ${id} was resolved by ${incident.resolved_by ?? 'somebody'} at ${incident.resolved_at ?? '?'}.` });
  }
}
