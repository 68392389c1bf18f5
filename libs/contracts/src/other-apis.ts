import { z } from 'zod';

import { operation, type InternalApi } from './internal-api.js';
import { lookupDestination } from './payments-api.js';

const partnerId = z.int().positive();

/** A bank record (decisions.md section 2, compat): both spellings of each name are kept for clients that parse either. */
export const bankRecord = z.object({
  Name: z.string(),
  Code: z.string(),
  name: z.string(),
  code: z.string(),
  currency: z.string(),
});
export type BankRecord = z.infer<typeof bankRecord>;

/** How a name that was sent compares with the resolved one: the same words, some of them, or none. */
export const nameMatch = z.enum(['exact', 'partial', 'none']);
export type NameMatch = z.infer<typeof nameMatch>;

/** What is known of a destination's owner. */
export const resolvedName = z.object({
  /** FAILED: there is no such phone, till, paybill or account. */
  status: z.enum(['COMPLETE', 'FAILED']),
  /** The rail told the name. Where it cannot, nothing is known but the form. */
  verified: z.boolean(),
  /** '' unless verified. */
  name: z.string(),
  /** null where no name was sent to compare. 'none' where there is nothing to compare it with. */
  name_match: nameMatch.nullable(),
});
export type ResolvedName = z.infer<typeof resolvedName>;

/** validation owns the bank directory and name lookups. */
export const validationApi = {
  service: 'validation',
  operations: {
    /** Errors: rate_limited (too many lookups of this destination), service_unavailable (no rail could be asked in time). */
    resolveName: operation(
      z.object({
        partner_id: partnerId,
        currency: z.string().regex(/^[A-Z]{3}$/),
        destination: lookupDestination,
        account_name: z.string().max(200).nullable(),
      }),
      resolvedName,
      { idempotent: true },
    ),
    listBanks: operation(
      z.object({ currency: z.string().regex(/^[A-Z]{3}$/) }),
      z.object({ banks: z.array(bankRecord).max(1000) }),
      { idempotent: true },
    ),
  },
} as const satisfies InternalApi;

/** notifier owns webhook secrets: made here, told once over internal HTTP, never on a topic. */
export const notifierApi = {
  service: 'notifier',
  operations: {
    /** Makes the partner's secret on the first call; the same one ever after. `whsec_` + base64 of 32 bytes. */
    ensureWebhookSecret: operation(z.object({ partner_id: partnerId }), z.object({ secret: z.string().startsWith('whsec_') }), {
      idempotent: true,
    }),
  },
} as const satisfies InternalApi;

/** gateway owns partners and keys. */
export const gatewayApi = {
  service: 'gateway',
  operations: {
    /**
     * The sandbox's partners: made on the first call by name, with the keys given (stored as keyed hashes).
     * Errors: forbidden outside the sandbox.
     */
    ensureSandboxPartner: operation(
      z.object({
        name: z.string().min(1).max(100),
        email: z.string().max(200),
        consumer_key: z.string(),
        checkout_key: z.string(),
      }),
      z.object({ partner_id: partnerId }),
      { idempotent: true },
    ),
  },
} as const satisfies InternalApi;
