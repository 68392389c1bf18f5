export type { ValidationOptions } from './app.module.js';
export { startValidation, type ValidationService } from './start-validation.js';
