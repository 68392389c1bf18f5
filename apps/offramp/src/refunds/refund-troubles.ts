/** Prefixes by which RefundWatch counts troubles. */
export const SHORT = 'wallet_short';
export const SCREENED = 'screening';
export const WITHHELD = 'withheld';
export const UNSURE = 'unsure';
export const SUSPENDED = 'suspended';
export const COST = 'cost';
/** It ends by itself when proven dead. */
export const ENDING = 'ending';
