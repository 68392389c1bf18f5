import { Inject, Injectable } from '@nestjs/common';
import { acts, partnerIdGiven as partnerId, personName, reads, reasonGiven } from '@vuka/contracts';
import { fail, MAX_URL_LENGTH, ok, type Problem, type Result } from '@vuka/domain';
import { checkPublicUrl, newCallContext, type OutboundPolicy } from '@vuka/http';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database, recordAuditEntry, type AuditEntry, type Transaction } from '@vuka/persistence';
import { type Clock, WebhookCipher } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';
import { z } from 'zod';

import {
  findKnownPartner,
  insertPartner,
  type KnownPartner,
  listKnownPartners,
  lockKnownPartner,
  OUTBOUND_POLICY,
  setDefaultWebhook,
  setStatus,
} from '../partners/index.js';
import { partnerView, shownUrl, type PartnerView } from './partner-view.js';

interface Acting {
  readonly by: string;
  readonly reason: string;
}

export interface PartnerToMake extends Acting {
  readonly name: string;
  readonly email: string;
}

export interface PartnerNamed extends Acting {
  readonly partnerId: number;
}

export interface WebhookToSet extends PartnerNamed {
  /** Kept byte for byte; null clears it. */
  readonly url: string | null;
}

export interface PartnersPage {
  readonly partners: readonly PartnerView[];
  readonly more: boolean;
}

const LONGEST_PAGE = 500;

/**
 * Partners (docs/operators/operators.md). Each change, its audit entry and its event are one commit. Every gateway
 * sees it within 5 s (AuthenticateCaller).
 */
@Injectable()
export class PartnerAdmin {
  constructor(
    private readonly db: Database,
    @Inject(OUTBOUND_POLICY) private readonly outbound: OutboundPolicy,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly told: WebhookCipher,
  ) {}

  /** Newest first. `before`: last id of the previous page. */
  async partners({ before, limit }: { before?: number; limit: number }): Promise<PartnersPage> {
    const found = await listKnownPartners(this.db, before ?? null, limit + 1);
    return { partners: found.slice(0, limit).map(partnerView), more: found.length > limit };
  }

  /** Errors: not_found. */
  async partner(idOrName: number | string): Promise<Result<PartnerView>> {
    const found = await findKnownPartner(this.db, idOrName);
    return found === null ? noSuchPartner(idOrName) : ok(partnerView(found));
  }

  /** Has no keys or wallets yet. Errors: invalid_request (the name is taken). */
  createPartner({ name, email, by, reason }: PartnerToMake): Promise<Result<PartnerView>> {
    const now = this.clock.now();
    return this.db.inTransaction(async (tx) => {
      const id = await insertPartner(tx, { name, email }, now);
      if (id === null)
        return fail({ code: 'invalid_request', message: `A partner with the name "${name}" exists already` });
      await recordAuditEntry(tx, { ...actOn(id), by, reason, act: 'partner.created', details: { name }, at: now });
      return ok(await viewIn(tx, id));
    });
  }

  /**
   * Nothing new starts for it, here and in payments and offramp, which get the event. Errors: not_found,
   * invalid_request (already suspended).
   */
  suspendPartner({ partnerId, by, reason }: PartnerNamed): Promise<Result<PartnerView>> {
    const now = this.clock.now();
    return this.change(partnerId, async (tx, partner) => {
      if (partner.suspendedAt !== null)
        return {
          code: 'invalid_request',
          message: `Partner ${String(partnerId)} is suspended since ${partner.suspendedAt.toISOString()}`,
        };
      await this.stand(tx, { ...partner, suspendedAt: now }, { by, reason, at: now });
      return null;
    });
  }

  /** Waiting work goes on. Errors: not_found, invalid_request (not suspended). */
  resumePartner({ partnerId, by, reason }: PartnerNamed): Promise<Result<PartnerView>> {
    const now = this.clock.now();
    return this.change(partnerId, async (tx, partner) => {
      if (partner.suspendedAt === null)
        return { code: 'invalid_request', message: `Partner ${String(partnerId)} is not suspended` };
      await this.stand(tx, { ...partner, suspendedAt: null }, { by, reason, at: now });
      return null;
    });
  }

  /** The default webhook. Errors: not_found, invalid_callback_url. */
  setWebhook({ partnerId, url, by, reason }: WebhookToSet): Promise<Result<PartnerView>> {
    const allowed = url === null ? ok(null) : checkPublicUrl(url, this.outbound);
    if (!allowed.ok) return Promise.resolve(fail({ code: 'invalid_callback_url', message: `url ${allowed.error}` }));
    const now = this.clock.now();
    return this.change(partnerId, async (tx, partner) => {
      await setDefaultWebhook(tx, partnerId, url && this.told.sealUrl(partnerId, url), now);
      const details = { before: partner.webhookUrl && shownUrl(partner.webhookUrl), after: url && shownUrl(url) };
      await recordAuditEntry(tx, {
        ...actOn(partnerId),
        by,
        reason,
        act: url === null ? 'webhook.cleared' : 'webhook.set',
        details,
        at: now,
      });
      return null;
    });
  }

  private async stand(
    tx: Transaction,
    { id, suspendedAt, statusSequence }: KnownPartner,
    act: Pick<AuditEntry, 'by' | 'reason' | 'at'>,
  ): Promise<void> {
    const sequence = statusSequence + 1;
    const [type, status] =
      suspendedAt === null ? (['partner.resumed', 'active'] as const) : (['partner.suspended', 'suspended'] as const);
    await setStatus(tx, id, { suspendedAt, statusSequence: sequence });
    await recordAuditEntry(tx, { ...actOn(id), ...act, act: type, details: { sequence } });
    const { requestId: correlationId, traceparent: causationId } = newCallContext({}, this.clock);
    await appendToOutbox(tx, [
      newEnvelope({
        type,
        key: String(id),
        sequence,
        occurredAt: act.at,
        correlationId,
        causationId,
        producer: 'gateway',
        data: { partner_id: id, status },
      }),
    ]);
  }

  /** `work` returns the reason for a refusal, or null. */
  private change(
    partnerId: number,
    work: (tx: Transaction, partner: KnownPartner) => Promise<Problem | null>,
  ): Promise<Result<PartnerView>> {
    return this.db.inTransaction(async (tx) => {
      const partner = await lockKnownPartner(tx, partnerId);
      if (partner === null) return noSuchPartner(partnerId);
      const refusal = await work(tx, partner);
      return refusal === null ? ok(await viewIn(tx, partnerId)) : fail(refusal);
    });
  }
}

async function viewIn(tx: Transaction, partnerId: number): Promise<PartnerView> {
  const partner = await findKnownPartner(tx, partnerId);
  if (partner === null) throw new Error('a partner that was changed is there');
  return partnerView(partner);
}

export function actOn(partnerId: number): Pick<AuditEntry, 'partnerId' | 'subject'> {
  return { partnerId, subject: `partner ${String(partnerId)}` };
}

export function noSuchPartner(idOrName: number | string): Result<never> {
  return fail({
    code: 'not_found',
    message: `There is no partner ${typeof idOrName === 'number' ? String(idOrName) : `"${idOrName}"`}`,
  });
}

const page = z.strictObject({ before: partnerId.exactOptional(), limit: z.int().positive().max(LONGEST_PAGE) });

export const partnerAdminMethods = (admin: PartnerAdmin) => ({
  partners: reads([page], (wanted) => admin.partners(wanted)),
  partner: reads([z.union([partnerId, personName])], (idOrName) => admin.partner(idOrName)),
  createPartner: acts({ name: personName, email: z.email().max(254), reason: reasonGiven }, (partner) =>
    admin.createPartner(partner),
  ),
  suspendPartner: acts({ partnerId, reason: reasonGiven }, (partner) => admin.suspendPartner(partner)),
  resumePartner: acts({ partnerId, reason: reasonGiven }, (partner) => admin.resumePartner(partner)),
  setWebhook: acts(
    { partnerId, url: z.string().min(1).max(MAX_URL_LENGTH).nullable(), reason: reasonGiven },
    (webhook) => admin.setWebhook(webhook),
  ),
});
