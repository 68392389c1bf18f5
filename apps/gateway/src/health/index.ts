export { HealthModule } from './health.module.js';
export { HEALTH_ANSWERS, HEALTH_OPERATIONS } from './health.operations.js';
