import { z } from 'zod';

const partnerId = z.int().positive();

/** The sequence counts per partner; the highest wins, in any order of arrival. */
export const partnerStatusChanged = z.object({ partner_id: partnerId, status: z.enum(['active', 'suspended']) });
export type PartnerStatusChanged = z.infer<typeof partnerStatusChanged>;

/**
 * The receiver answered 410. gateway disables the URL if it is still the default and was set before
 * `attempted_at`.
 */
export const endpointDisabled = z.object({
  partner_id: partnerId,
  /** Its query is sealed (WebhookCipher). */
  url: z.string().min(1).max(3_000),
  /** When the POST started. */
  attempted_at: z.iso.datetime(),
});
export type EndpointDisabled = z.infer<typeof endpointDisabled>;
