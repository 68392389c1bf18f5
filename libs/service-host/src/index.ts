export { runService } from './run-service.js';
export type { DeskGround, HostedService, Rails, ServiceDefinition, ServiceGround } from './service-ground.js';
export { loadServiceSettings, type ServiceSettings } from './service-settings.js';
