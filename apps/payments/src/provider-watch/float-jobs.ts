import { Injectable } from '@nestjs/common';

import { FloatWatch } from './float-watch.js';
import { ReadFloats } from './read-floats.js';

/** What is done with floats from time to time. */
@Injectable()
export class FloatJobs {
  constructor(
    private readonly watch: FloatWatch,
    private readonly reader: ReadFloats,
  ) {}

  alert(): Promise<void> {
    return this.watch.alert();
  }

  read(): Promise<void> {
    return this.reader.run();
  }
}
