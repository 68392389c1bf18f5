/** What earlier tables of numbers (RULES of sandbox-numbers.ts) had otherwise: payouts accepted under them go on as they began. */

/** Until rules 3 the second rail paid in this currency alone. */
export const SECOND_RAIL_ONCE_IN = 'KES';
