/** For a service's own process. The embedded profile has all services in one, and needs none of it. */
export { runService } from './process/run-service.js';
export { loadServiceSettings } from './process/service-settings.js';
