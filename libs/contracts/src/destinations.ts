import type { LookupDestination, PayoutDestination } from '@vuka/domain';
import { z } from 'zod';

const number = z.string().min(1).max(34);

const bank = z.object({
  kind: z.literal('bank'),
  account_number: number,
  bank_code: z.string().min(1).max(64),
  bank_name: z.string().max(200),
});
const mobile = z.object({
  kind: z.literal('mobile'),
  phone: z.string().regex(/^\+\d{7,15}$/, 'E.164'),
  mobile_network: z.string().min(1).max(50),
});
const till = z.object({ kind: z.literal('till'), shortcode: number });

/** Normalised by the domain's rules. */
export const payoutDestination = z.discriminatedUnion('kind', [
  bank,
  mobile,
  z.object({ kind: z.literal('paybill'), shortcode: number, account_number: number }),
  till,
]) satisfies z.ZodType<PayoutDestination>;

export const lookupDestination = z.discriminatedUnion('kind', [
  bank,
  mobile,
  z.object({ kind: z.literal('paybill'), shortcode: number }),
  till,
]) satisfies z.ZodType<LookupDestination>;
