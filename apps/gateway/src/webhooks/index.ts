export { DELIVERY_LIST_FIELDS } from './list-deliveries.js';
export { RESEND_FIELDS } from './resend-deliveries.js';
export { DEFAULT_WEBHOOK_FIELDS } from './set-default-webhook.js';
export { WebhooksModule } from './webhooks.module.js';
export { WEBHOOK_ANSWERS, WEBHOOK_OPERATIONS } from './webhooks.operations.js';
