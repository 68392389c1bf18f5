export { type NotifierAdminMethods, openNotifierAdmin } from './notifier-admin.js';
export type { DeliveryLogView, ResentView, RewrapView, RotatedSecretView, SecretKeyView } from './webhook-methods.js';
export * from './views.js';
