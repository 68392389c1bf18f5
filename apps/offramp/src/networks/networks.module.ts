import { Module } from '@nestjs/common';

import { AddressesModule } from '../addresses/index.js';
import { ChainsModule } from '../chains/index.js';
import { SwitchesModule } from '../switches/index.js';
import { ListNetworks } from './list-networks.js';

@Module({
  imports: [AddressesModule, ChainsModule, SwitchesModule],
  providers: [ListNetworks],
  exports: [ListNetworks],
})
export class NetworksModule {}
