export {
  type DeliveryLogView,
  type NotifierAdminMethods,
  openNotifierAdmin,
  type ResentView,
  type RotatedSecretView,
} from './admin/index.js';
export type { GivenUpWebhook, PostView, WebhookView } from './admin/index.js';
export { notifier } from './notifier.js';
export type { NotifierRoot } from './notifier.root.js';
