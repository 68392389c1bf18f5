import type { ServiceDefinition } from '@vuka/service-host';

import { AppModule } from './app.module.js';
import { ValidationRoot } from './validation.root.js';

export const validation: ServiceDefinition<ValidationRoot> = {
  name: 'validation',
  module: AppModule,
  root: ValidationRoot,
};
