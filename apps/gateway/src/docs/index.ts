export { ICON } from './docs-page.js';
export { DocsModule } from './docs.module.js';
export { DOCS_OPERATIONS } from './docs.operations.js';
