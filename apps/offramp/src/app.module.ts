import { Module } from '@nestjs/common';

import { ListNetworks } from './list-networks.js';

/** What offramp is made of. */
@Module({ providers: [{ provide: ListNetworks, useFactory: () => new ListNetworks() }] })
export class AppModule {}
