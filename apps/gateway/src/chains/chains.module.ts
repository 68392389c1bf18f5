import { Module } from '@nestjs/common';

import { CheckRefundAddress } from './check-refund-address.js';
import { ListNetworks } from './list-networks.js';
import { ServedChains } from './served-chains.js';

@Module({
  providers: [ServedChains, CheckRefundAddress, ListNetworks],
  exports: [ServedChains, CheckRefundAddress, ListNetworks],
})
export class ChainsModule {}
