export { type NotifierAdminMethods, openNotifierAdmin } from './notifier-admin.js';
export type { DeliveryLogView, ResentView, RotatedSecretView } from './webhook-methods.js';
export * from './views.js';
