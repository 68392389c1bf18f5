// The name under which Jest looks for its settings.
export { default } from './jest.preset.js';
