import type { KnownPartner } from '../partners/index.js';

/** Times in ISO 8601. URLs without their query, which may hold a secret. */
export interface PartnerView {
  readonly partner_id: number;
  readonly name: string;
  readonly email: string;
  readonly status: 'active' | 'suspended';
  readonly suspended_at: string | null;
  readonly created_at: string;
  /** null: none. */
  readonly webhook: { readonly url: string; /** null: never set. */ readonly set_at: string | null } | null;
  /** The last default that a receiver's 410 removed. */
  readonly webhook_disabled: { readonly url: string; readonly at: string } | null;
  readonly own_terms: boolean;
}

export function partnerView(partner: KnownPartner): PartnerView {
  const {
    id,
    name,
    email,
    suspendedAt,
    createdAt,
    webhookUrl,
    webhookSetAt,
    webhookDisabledUrl,
    webhookDisabledAt,
    terms,
  } = partner;
  return {
    partner_id: id, name, email, status: suspendedAt === null ? 'active' : 'suspended', suspended_at: timeOf(suspendedAt), created_at: createdAt.toISOString(),
    webhook: webhookUrl === null ? null : { url: shownUrl(webhookUrl), set_at: timeOf(webhookSetAt) },
    webhook_disabled: webhookDisabledUrl === null || webhookDisabledAt === null ? null : { url: shownUrl(webhookDisabledUrl), at: webhookDisabledAt.toISOString() },
    own_terms: terms !== null,
  }; // prettier-ignore
}

/** `https://example.com/hooks?…` */
export function shownUrl(url: string): string {
  const [shown = ''] = url.split(/[?#]/, 1);
  return shown === url ? url : `${shown}?…`;
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
