import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes'];
const PAUSE_SQL = `
create function payments.not_due_today() returns trigger language plpgsql as $$ begin new.due_at := now() + interval '1 day'; return new; end $$;
create trigger not_due_today before insert on payments.transactions for each row execute function payments.not_due_today();
`;
const LOG_IS_WRITTEN_MS = 500;

/** The PostgreSQL of a Vuka's `folder`: durability, WAL written, statement count. */
export async function openDatabase(folder) {
  const home = join(folder, 'postgres');
  const [, , , port] = readFileSync(join(home, 'data/postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(home, 'password'), 'utf8').trim();
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'postgres', password, database: 'vuka' });
  await client.connect();
  const value = async (sql) => Object.values((await client.query(sql)).rows[0])[0];
  return {
    durability: async () => {
      const said = [];
      for (const name of SETTINGS) said.push(`${name} ${await value(`show ${name}`)}`);
      return said;
    },
    walBytes: async () => Number(await value(`select pg_current_wal_lsn() - '0/0'::pg_lsn`)),
    /** Counted in the server's log. This is so slow that nothing else may be measured meanwhile. */
    statementsOf: async (work) => {
      const set = async (what) => {
        await client.query(`alter system ${what}`);
        await client.query('select pg_reload_conf()');
        await pause(LOG_IS_WRITTEN_MS);
      };
      const log = join(home, 'postgres.log');
      await set(`set log_statement = 'all'`);
      const from = statSync(log).size;
      try {
        await work();
      } finally {
        await set('reset log_statement');
      }
      return countStatements(log, from);
    },
    rows: async (sql, values = []) => (await client.query(sql, values)).rows,
    pausePayouts: () => client.query(PAUSE_SQL),
    close: () => client.end(),
  };
}

async function countStatements(log, from) {
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(log, { start: from, encoding: 'utf8' }) })) {
    if (/LOG: {2}(statement|execute [^:]*):/.test(line)) count += 1;
  }
  return count;
}
