/** Prefixes of troubles, before a colon: RefundWatch counts troubles and pages people by them. */
export const SHORT = 'wallet_short';
export const SCREENED = 'screening';
export const WITHHELD = 'withheld';
export const UNSURE = 'unsure';
export const SUSPENDED = 'suspended';
export const COST = 'cost';
/** RefundWatch counts it apart: it ends by itself when its transfer is proven dead. */
export const ENDING = 'ending';
