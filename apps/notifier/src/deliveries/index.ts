export { DeliverWebhooks } from './deliver-webhooks.js';
export { DELIVERY_LIMITS } from './delivery-places.js';
export { type Change, DeliveryStore } from './delivery.store.js';
export { ExpirePayloads } from './expire-payloads.js';
export { type Lane, lanesDue, LaneStore } from './lane.store.js';
export { NotifierMetrics } from './notifier-metrics.js';
export { createPostWebhook, DELIVERY_TIMEOUT_MS } from './post-webhook.js';
export type { DeliveryError } from './retry-schedule.js';
export { SweepLanes } from './sweep-lanes.js';
