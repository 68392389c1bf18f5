import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

import { commitMovesSql } from './commit-moves-with-refunds.migration.js';

/**
 * commit_moves of refunds, with one thing more: a first move may find that a deposit it takes is not where it expects it, or that its event was
 * handled. What fell so would have left its key behind, and would be taken for done when it comes again.
 */
export class CommitMovesWithOrders1766000001001 implements MigrationInterface {
  public readonly name = 'CommitMovesWithOrders1766000001001';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(changed('create function', 'create or replace function').replace(FALLEN, FALLEN_TOO));
  }

  public async down(runner: QueryRunner): Promise<void> {
    await runner.query(changed('create function', 'create or replace function'));
  }
}

const FALLEN = `array['insufficient', 'hash_claimed', 'quote_used', 'again']`;
const FALLEN_TOO = `array['insufficient', 'hash_claimed', 'quote_used', 'again', 'stale', 'seen']`;

function changed(from: string, to: string): string {
  if (!commitMovesSql.includes(from) || !commitMovesSql.includes(FALLEN)) throw new Error('commit_moves is not what it was');
  return commitMovesSql.replace(from, to);
}
