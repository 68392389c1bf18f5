export { CheckReadiness, type CheckReadinessOptions, type Readiness, readinessApart } from './check-readiness.js';
export { HealthController } from './health.controller.js';
