import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { callerOf } from '../../http/index.js';
import { UsedKeys } from '../../keys/index.js';

@Injectable()
export class NoteKeyUse {
  constructor(private readonly usedKeys: UsedKeys) {}

  run(request: FastifyRequest): null {
    this.usedKeys.note(callerOf(request).visiblePrefix);
    return null;
  }
}
