import { z } from 'zod';

const partnerId = z.int().positive();

/**
 * What a partner may do has changed (gateway owns that). It carries the status alone: wallets and addresses come into being on demand. Counted per partner:
 * of two, the one with the higher sequence holds, whichever comes first.
 */
export const partnerStatusChanged = z.object({ partner_id: partnerId, status: z.enum(['active', 'suspended']) });
export type PartnerStatusChanged = z.infer<typeof partnerStatusChanged>;

/**
 * A receiver answered 410: nothing more is to be sent to this URL. Whether it is the partner's default, gateway knows: it disables it where it still is, and was
 * set before `attempted_at`.
 */
export const endpointDisabled = z.object({
  partner_id: partnerId,
  /** Byte for byte as it was given. */
  url: z.string().min(1).max(2048),
  /** When the POST began that was answered so. */
  attempted_at: z.iso.datetime(),
});
export type EndpointDisabled = z.infer<typeof endpointDisabled>;
