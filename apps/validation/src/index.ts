export { validation } from './validation.js';
export type { ValidationRoot } from './validation.root.js';
