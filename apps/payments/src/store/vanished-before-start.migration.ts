import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/**
 * No attempt begins for a transaction whose deposit is known to be gone. Who begins one holds the lock of its transaction, and so does who
 * records that the deposit vanished (DepositStore.rememberVanished): one of them sees what the other wrote.
 */
export class VanishedBeforeStart1768000004000 implements MigrationInterface {
  public readonly name = 'VanishedBeforeStart1768000004000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(functionSql);
    await runner.query(triggerSql);
  }

  public async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger attempts_deposit_stands on attempts');
    await runner.query('drop function refuse_attempts_of_vanished_deposits');
  }
}

// Once for each batch: a batch of wallet payouts finds no deposit, and asks nothing more.
const functionSql = `
create function refuse_attempts_of_vanished_deposits() returns trigger language plpgsql as $$
declare
  v_gone bigint;
begin
  select d.deposit_id into v_gone
    from started s join deposits d on d.transaction_id = s.transaction_id and d.is_main join vanished_deposits g on g.deposit_id = d.deposit_id limit 1;
  if found then
    raise exception 'deposit % has vanished: no attempt begins on it', v_gone using errcode = 'check_violation', constraint = 'attempts_deposit_stands';
  end if;
  return null;
end $$`;

const triggerSql = `
create trigger attempts_deposit_stands after insert on attempts
  referencing new table as started for each statement execute function refuse_attempts_of_vanished_deposits()`;
