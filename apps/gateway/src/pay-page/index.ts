export { PayPageModule } from './pay-page.module.js';
