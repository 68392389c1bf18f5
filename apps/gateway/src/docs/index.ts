export { ICON } from './docs-page.js';
export { DocsModule } from './docs.module.js';
