export { callbackBinding } from './callback-envelope.js';
export { CallbackStore, type ClaimedCallback } from './callback.store.js';
export { CallbackProviders } from './callback-providers.js';
export { CallbacksModule } from './callbacks.module.js';
export { HandleCallback } from './handle-callback.js';
export { LostCallbacks } from './lost-callbacks.js';
export { SweepCallbacks } from './sweep-callbacks.js';
export { TakeCallback } from './take-callback.js';
