/** payments, as in TOPICS.consumers. */
export const CONSUMER_GROUP = 'payments';
