/** What a trouble begins with that people are called for by name, before a colon: RefundWatch tells them apart by it. */
export const SHORT = 'wallet_short';
export const SCREENED = 'screening';
export const WITHHELD = 'withheld';
export const UNSURE = 'unsure';
export const SUSPENDED = 'suspended';
export const COST = 'cost';
/** It ends by itself when its transfer is proven dead: RefundWatch counts it apart. */
export const ENDING = 'ending';
