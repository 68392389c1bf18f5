export type { NotifierDependencies } from './app.module.js';
export { startNotifier, type NotifierService } from './start-notifier.js';
