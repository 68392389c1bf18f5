import { Inject, Injectable } from '@nestjs/common';
import { acts, partnerIdGiven as partnerId, reads, reasonGiven } from '@vuka/contracts';
import { applyTerms, fail, ok, type Currencies, type Result } from '@vuka/domain';
import { Database, recordAuditEntry } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK, CURRENCIES_IN_FORCE } from '@vuka/service-host';
import { z } from 'zod';

import { feesIn, type FeeView, limitsIn, type LimitView } from '../account/index.js';
import { findKnownPartner, lockKnownPartner, setOwnTerms } from '../partners/index.js';
import { actOn, noSuchPartner } from './partner-admin.js';

export interface TermsToSet {
  readonly partnerId: number;
  /** Rows as in VUKA_TERMS_FILE, replacing all earlier ones; null: the deployment's terms. */
  readonly terms: Readonly<Record<string, unknown>> | null;
  readonly by: string;
  readonly reason: string;
}

export interface TermsView {
  readonly partner_id: number;
  readonly terms: unknown;
  /** Why its rows do not fit this deployment, or null. Until repaired, requests that need them fail. */
  readonly problem: string | null;
  /** As in /v1/limits and /v1/fees. `own`: different from the deployment's. Empty if there is a problem. */
  readonly limits: readonly (LimitView & { readonly own: boolean })[];
  readonly fees: readonly (FeeView & { readonly own: boolean })[];
}

/** Terms are read with each key, and a page of 200 audit entries must fit into one answer (admin-calls.ts). */
const LONGEST_TERMS = 16_000;

/** Terms of single partners (docs/operators/terms.md). */
@Injectable()
export class TermsAdmin {
  constructor(
    private readonly db: Database,
    @Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Errors: not_found. */
  async terms(partnerId: number): Promise<Result<TermsView>> {
    const partner = await findKnownPartner(this.db, partnerId);
    return partner === null ? noSuchPartner(partnerId) : ok(this.view(partnerId, partner.terms));
  }

  /** Every gateway sees them within 5 s. Errors: not_found, invalid_request (names the row and the rule). */
  async setTerms({ partnerId, terms, by, reason }: TermsToSet): Promise<Result<TermsView>> {
    const { db, currencies, clock } = this;
    const applied = terms === null ? ok(currencies) : applyTerms(currencies, terms);
    if (!applied.ok) return fail({ code: 'invalid_request', message: applied.error });
    if (JSON.stringify(terms).length > LONGEST_TERMS)
      return fail({
        code: 'invalid_request',
        message: `the file: must have at most ${String(LONGEST_TERMS)} characters`,
      });
    const now = clock.now();
    return db.inTransaction(async (tx) => {
      const partner = await lockKnownPartner(tx, partnerId);
      if (partner === null) return noSuchPartner(partnerId);
      await setOwnTerms(tx, partnerId, terms);
      await recordAuditEntry(tx, {
        ...actOn(partnerId),
        by,
        reason,
        act: terms === null ? 'terms.cleared' : 'terms.set',
        ...(terms !== null && { details: { terms } }),
        at: now,
      });
      return ok(this.view(partnerId, terms));
    });
  }

  private view(partnerId: number, terms: unknown): TermsView {
    const { currencies } = this;
    const applied = terms === null ? ok(currencies) : applyTerms(currencies, terms);
    if (!applied.ok) return { partner_id: partnerId, terms, problem: applied.error, limits: [], fees: [] };
    const limits = besideOurs(limitsIn(applied.value), limitsIn(currencies));
    return {
      partner_id: partnerId,
      terms,
      problem: null,
      limits,
      fees: besideOurs(feesIn(applied.value, null), feesIn(currencies, null)),
    };
  }
}

/** Same items in the same order: own rows change only numbers. */
function besideOurs<T extends object>(theirs: readonly T[], ours: readonly T[]): (T & { own: boolean })[] {
  return theirs.map((row, place) => ({ ...row, own: JSON.stringify(row) !== JSON.stringify(ours[place]) }));
}

export const termsAdminMethods = (admin: TermsAdmin) => ({
  terms: reads([partnerId], (id) => admin.terms(id)),
  setTerms: acts({ partnerId, terms: z.record(z.string(), z.unknown()).nullable(), reason: reasonGiven }, (terms) =>
    admin.setTerms(terms),
  ),
});
