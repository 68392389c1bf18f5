import { Injectable } from '@nestjs/common';
import { acts, reads, reasonGiven } from '@vuka/contracts';
import { ok, type Problem, type Result } from '@vuka/domain';
import { z } from 'zod';

import {
  type FloatMovement,
  FloatMovementStore,
  MOVEMENT_KINDS,
  MoveFloat,
  type MovementKind,
} from '../../floats/index.js';
import { type FloatMovementView, floatMovementView } from '../readers/money-views.js';

const number = z.int().positive();
const decimal = z.string().max(60);
const name = z.string().max(40).nullable();
const word = { movementId: number, reason: reasonGiven };

@Injectable()
export class FloatMethods {
  constructor(
    private readonly floats: MoveFloat,
    private readonly kept: FloatMovementStore,
  ) {}

  readonly methods = {
    proposeFloatMovement: acts(
      {
        kind: z.enum(Object.keys(MOVEMENT_KINDS) as [MovementKind, ...MovementKind[]]),
        currency: z.string().regex(/^[A-Z]{3}$/),
        amount: decimal,
        provider: name,
        wallet: name,
        asset: name,
        tokens: decimal.nullable(),
        evidence: reasonGiven,
      },
      async (proposal) => viewed(await this.floats.propose(proposal)),
    ),
    approveFloatMovement: acts(word, async (act) => viewed(await this.floats.approve(act))),
    withdrawFloatMovement: acts(word, async (act) => viewed(await this.floats.withdraw(act))),
    floatMovements: reads(
      [z.object({ open: z.boolean().optional(), before: number.optional(), limit: z.int().min(1).max(500) })],
      async (wanted) => (await this.kept.list(wanted)).map(floatMovementView),
    ),
  };
}

function viewed(result: Result<FloatMovement, Problem>): Result<FloatMovementView, Problem> {
  return result.ok ? ok(floatMovementView(result.value)) : result;
}
