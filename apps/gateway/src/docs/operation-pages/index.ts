export { OPERATION_PATHS, operationsPath, SANDBOX_OPERATION_PATHS } from './operation-paths.js';
export { operationPages, type OperationPage } from './operation-page.js';
export { asPublished } from './published-document.js';
