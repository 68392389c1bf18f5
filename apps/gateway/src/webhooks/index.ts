export { DELIVERY_LIST_FIELDS, ListDeliveries, type ListDeliveriesOptions } from './list-deliveries.js';
export { RESEND_FIELDS, ResendDeliveries, type ResendDeliveriesOptions } from './resend-deliveries.js';
export { SendTestWebhook, type SendTestWebhookOptions } from './send-test-webhook.js';
export { DEFAULT_WEBHOOK_FIELDS, SetDefaultWebhook, type SetDefaultWebhookOptions } from './set-default-webhook.js';
export { WebhooksController } from './webhooks.controller.js';
