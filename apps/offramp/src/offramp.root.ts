import { Injectable } from '@nestjs/common';
import type { ServiceRoot } from '@vuka/service-host';

import { BackgroundWork } from './background-work.js';
import { OfframpApi } from './offramp-api.js';

@Injectable()
export class OfframpRoot implements ServiceRoot {
  public readonly handlers: OfframpApi['handlers'];

  public constructor(
    api: OfframpApi,
    private readonly work: BackgroundWork,
  ) {
    this.handlers = api.handlers;
  }

  public async start(): Promise<void> {
    this.work.start();
  }
}
