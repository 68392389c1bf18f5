export type { NotifierDependencies } from './app.module.js';
export { DeliveryDesk, type DeliveryStory, type DeliveryWithPosts, type GivenUpPage, type PostStory } from './desk/delivery-desk.js';
export { startNotifier, type NotifierService } from './start-notifier.js';
export { NOTIFIER_MIGRATIONS } from './store/migrations.js';
