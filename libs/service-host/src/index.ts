export { type ServicePools } from './context.module.js';
export { type DeskDefinition, type DeskRoot, openDesk } from './open-desk.js';
export { type ContainerParts, createContainer, openService } from './open-service.js';
export { wiredClasses } from './refuse-undeclared.js';
export { readinessApart } from './process/readiness.js';
export { runService } from './process/run-service.js';
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
export { loadServiceSettings, type ServiceSettings } from './process/service-settings.js';
export * from './tokens.js';
