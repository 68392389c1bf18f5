export { type ServicePools } from './context.module.js';
export { openService } from './open-service.js';
export { readinessApart } from './readiness.js';
export { runService } from './run-service.js';
export type {
  ContainerFactory,
  CreateServiceApp,
  DeskGround,
  HostedService,
  OpenedService,
  Rails,
  Readiness,
  ServiceApp,
  ServiceContext,
  ServiceDatabase,
  ServiceDefinition,
  ServiceRoot,
} from './service-context.js';
export type { SelfWiredService, ServiceGround } from './service-ground.js';
export { loadServiceSettings, type ServiceSettings } from './service-settings.js';
export * from './tokens.js';
