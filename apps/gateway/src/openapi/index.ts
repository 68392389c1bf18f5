export { openApiDocument } from './document.js';
export type { JsonSchema } from './json-schema.js';
