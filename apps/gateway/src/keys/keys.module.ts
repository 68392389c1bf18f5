import { Module } from '@nestjs/common';

import { AuthenticateCaller } from './authenticate-caller.js';
import { KeysStore } from './keys.store.js';
import { UsedKeys } from './used-keys.js';

@Module({
  providers: [KeysStore, AuthenticateCaller, UsedKeys],
  exports: [AuthenticateCaller, UsedKeys],
})
export class KeysModule {}
