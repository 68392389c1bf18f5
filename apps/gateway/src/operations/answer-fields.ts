import { PAYOUT_TYPES, WALLET_CURRENCIES } from '@vuka/domain';
import { z } from 'zod';

export const id = z.int().positive();
export const decimal = z.string().regex(/^\d+(\.\d+)?$/);
export const signedDecimal = z.string().regex(/^-?\d+(\.\d+)?$/);
export const instant = z.iso.datetime().describe('RFC 3339, UTC');
export const currencyCode = z.enum(WALLET_CURRENCIES);
export const payoutType = z.enum(Object.values(PAYOUT_TYPES));
