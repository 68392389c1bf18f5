import type { NumberRule, ServiceFee } from './currency.js';

/** For countries without one fixed length. */
export const ANY_ACCOUNT_NUMBER: NumberRule = { pattern: /^\d{4,20}$/, rule: '4 to 20 digits', example: '1234567890' };

export const NO_FEE: ServiceFee = { flatMinor: 0n, basisPoints: 0n };
