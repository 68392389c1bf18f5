import { Injectable } from '@nestjs/common';

import { VelocityStore } from '../commit/index.js';
import { KeptValueStore } from '../kept-values/index.js';

/** Rows that nobody reads any more. */
@Injectable()
export class ForgetRows {
  constructor(
    private readonly kept: KeptValueStore,
    private readonly velocity: VelocityStore,
  ) {}

  async run(): Promise<void> {
    await Promise.all([this.kept.forget(), this.velocity.forget()]);
  }
}
