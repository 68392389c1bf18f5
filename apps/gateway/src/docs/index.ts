export { ICON } from './icon.js';
export { DocsModule } from './docs.module.js';
export { DOCS_OPERATIONS } from './docs.operations.js';
