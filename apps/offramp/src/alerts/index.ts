export { AlertsModule } from './alerts.module.js';
export { StaleAlerts } from './stale-alerts.js';
