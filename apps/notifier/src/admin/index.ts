export { type NotifierDeskMethods, openNotifierDesk } from './notifier-desk.js';
export type { DeliveryLogView, ResentView, RewrapView, RotatedSecretView, SecretKeyView } from './webhook-methods.js';
export * from './views.js';
