import { Module } from '@nestjs/common';

import { SwitchStore } from './switch.store.js';
import { Switches } from './switches.js';

@Module({ providers: [SwitchStore, Switches], exports: [SwitchStore, Switches] })
export class SwitchesModule {}
