import type { NotifierDependencies } from './app.module.js';
import type { NotifierService } from './start-notifier.js';

export type { NotifierDependencies, NotifierService };
export {
  DeliveryDesk,
  type DeliveryLogView,
  type DeliveryStory,
  type DeliveryWithPosts,
  type GivenUpPage,
  type NotifierDeskGround,
  type NotifierDeskMethods,
  openNotifierDesk,
  type PostStory,
  type ResentView,
  type RewrapView,
  type RotatedSecretView,
  type SecretKeyView,
} from './admin/index.js';
export type { GivenUpWebhook, PostView, WebhookView } from './admin/index.js';
export { NOTIFIER_MIGRATIONS } from './store/migrations.js';

/** As in start-notifier.ts, which is loaded when it is called: the desk wants the read models alone, and no framework. */
export async function startNotifier(deps: NotifierDependencies): Promise<NotifierService> {
  return (await import('./start-notifier.js')).startNotifier(deps);
}
