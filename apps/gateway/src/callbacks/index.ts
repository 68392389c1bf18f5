export { CallbacksModule } from './callbacks.module.js';
export { CALLBACK_OPERATIONS } from './callbacks.operations.js';
