import { Module } from '@nestjs/common';

import { ChangesModule } from './changes/index.js';
import { DeliveriesModule } from './deliveries/index.js';
import { LogModule } from './log/index.js';
import { NotifierRoot } from './notifier.root.js';
import { SecretsModule } from './secrets/index.js';
import { SendingModule } from './sending/index.js';

@Module({
  imports: [ChangesModule, DeliveriesModule, LogModule, SecretsModule, SendingModule],
  providers: [NotifierRoot],
})
export class AppModule {}
