export { runService } from './run-service.js';
export type { HostedService, Rails, ServiceDefinition, ServiceGround } from './service-ground.js';
export { loadServiceSettings, type ServiceSettings } from './service-settings.js';
