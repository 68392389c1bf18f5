export {
  DeliveryDesk,
  type DeliveryStory,
  type DeliveryWithPosts,
  type GivenUpPage,
  type PostStory,
} from './delivery-desk.js';
export { type NotifierDeskGround, type NotifierDeskMethods, openNotifierDesk } from './notifier-desk.js';
export type { DeliveryLogView, ResentView, RewrapView, RotatedSecretView, SecretKeyView } from './webhook-methods.js';
export * from './views.js';
