import type { NotifierDependencies } from './app.module.js';
import type { NotifierService } from './start-notifier.js';

export type { NotifierDependencies, NotifierService };
export {
  DeliveryDesk,
  type DeliveryStory,
  type DeliveryWithPosts,
  type GivenUpPage,
  type PostStory,
} from './desk/delivery-desk.js';
export { openNotifierDesk, type NotifierDeskGround, type NotifierDeskMethods } from './desk/notifier-desk.js';
export * from './desk/views.js';
export type {
  DeliveryLogView,
  ResentView,
  RewrapView,
  RotatedSecretView,
  SecretKeyView,
} from './desk/webhook-methods.js';
export { NOTIFIER_MIGRATIONS } from './store/migrations.js';

/** As in start-notifier.ts, which is loaded when it is called: the desk wants the read models alone, and no framework. */
export async function startNotifier(deps: NotifierDependencies): Promise<NotifierService> {
  return (await import('./start-notifier.js')).startNotifier(deps);
}
