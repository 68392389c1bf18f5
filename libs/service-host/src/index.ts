export { type ServicePools } from './context.module.js';
export { type AdminDefinition, type AdminRoot, openAdmin } from './open-admin.js';
export { type ContainerParts, createContainer, openService } from './open-service.js';
export { wiredClasses } from './refuse-undeclared.js';
export { type OpenedProviders, openProviders } from './process/open-providers.js';
export { readinessApart } from './process/readiness.js';
export type {
  KeyPeppers,
  ContainerFactory,
  CreateServiceApp,
  AdminGround,
  HostedService,
  OpenedService,
  Providers,
  Readiness,
  ServiceApp,
  ServiceContext,
  ServiceDatabase,
  ServiceDefinition,
  ServiceRoot,
} from './service-context.js';
export type { ServiceSettings } from './process/service-settings.js';
export * from './tokens.js';
