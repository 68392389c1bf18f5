export { DOCS_FILES, docsFilesFor, type DocsOptions } from './docs-files.js';
export { ICON } from './docs-page.js';
export { DocsController } from './docs.controller.js';
