import { Module } from '@nestjs/common';

import { EdgeModule } from '../edge/index.js';
import { CheckReadiness } from './check-readiness.js';
import { HealthController } from './health.controller.js';

@Module({
  imports: [EdgeModule],
  controllers: [HealthController],
  providers: [CheckReadiness],
})
export class HealthModule {}
