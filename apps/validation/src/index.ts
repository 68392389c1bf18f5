export { startValidation, type ValidationService } from './start-validation.js';
