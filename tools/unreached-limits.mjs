/** Settings of a Vuka that is to be loaded: its limits are counted and told as ever, and never met. */
export const UNREACHED_LIMITS = {
  RATE_LIMIT_PARTNER: '1000000/1000000',
  RATE_LIMIT_LOOKUPS: '1000000/1000000',
  RATE_LIMIT_DESTINATION: '1000000/1000000',
  RATE_LIMIT_FAILED_AUTH: '1000000/1000000',
  MOST_WAITING_PAYS: '1000000',
  MOST_OPEN_ORDERS: '1000000',
};
