export { RefundIntakeModule } from './refund-intake.module.js';
