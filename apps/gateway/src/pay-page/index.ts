export { PayPageModule } from './pay-page.module.js';
export { PAY_PAGE_OPERATIONS } from './pay-page.operations.js';
