import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLogger } from '@vuka/runtime';
import { Client } from 'pg';

import type { DatabaseConfig, MigrationClass } from './connection/database-config.js';
import { Database } from './connection/database.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { bringCluster } from './embedded/ready-cluster.js';
import { ensureServiceLogins, type AdminLogin } from './service-logins.js';

export { bringCluster };

/** Superuser URL, shared by all suites (tools/test/test.mjs). */
const SHARED = 'VUKA_TEST_POSTGRES_URL';
/** Logins are shared, so all suites use one password. */
const PASSWORD = 'password-of-the-tests';
/** It may wait behind three other suites. */
const PATIENCE_MS = 60_000;

export interface TestSchema {
  readonly name: string;
  /** Default: an empty schema. */
  readonly migrations?: readonly MigrationClass[];
  /** The login has the rights of a deployment. Without it also those to empty tables and to analyze them. */
  readonly asDeployed?: boolean;
}

export interface TestOptions extends Pick<DatabaseConfig, 'lookupsOnly'> {
  /**
   * For suites that stop the server or read and change what databases share (pg_snapshot_xmin waits for all
   * transactions).
   */
  readonly alone?: boolean;
}

export type TestConfig = Omit<DatabaseConfig, 'migrations' | 'entities'>;

/** `stop` ends database and connections. */
export async function borrowDatabase(schemas: readonly TestSchema[], options: TestOptions = {}): Promise<TestDatabase> {
  const server = await TestPostgres.start(options);
  try {
    return await server.database(schemas, () => server.stop());
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export class TestPostgres {
  private constructor(
    private readonly admin: AdminLogin,
    private readonly options: TestOptions,
    private readonly shutDown: () => Promise<void>,
  ) {}

  public static async start(options: TestOptions = {}): Promise<TestPostgres> {
    const shared = process.env[SHARED];
    if (shared !== undefined && options.alone !== true)
      return new TestPostgres(adminOf(new URL(shared)), options, async () => undefined);
    const folder = await mkdtemp(join(tmpdir(), 'vuka-test-postgres-'));
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    try {
      await bringCluster(folder);
      const server = await startEmbeddedPostgres({
        folder,
        durable: false,
        log: createLogger('test', { level: 'silent' }),
      });
      return new TestPostgres(server, options, async () => {
        await server.stop();
        await remove();
      });
    } catch (error) {
      await remove();
      throw error;
    }
  }

  /** `then` runs after its `stop`. */
  public async database(
    schemas: readonly TestSchema[],
    then: () => Promise<void> = async () => undefined,
  ): Promise<TestDatabase> {
    const name = `suite_${randomUUID().replaceAll('-', '')}`;
    await this.asAdmin(async (client) => {
      // Suites start together: one makes the template. PostgreSQL refuses concurrent changes of a login.
      await client.query(`select pg_advisory_lock(hashtext('${SHARED}'))`);
      await client.query(`create database ${name} template ${await this.template(client, schemas)} strategy file_copy`);
      // Connect rights are not copied.
      await ensureServiceLogins(this.admin, name, loginsOf(schemas));
    });
    const drop = (): Promise<unknown> => this.asAdmin((client) => client.query(`drop database ${name} with (force)`));
    return new TestDatabase(
      { admin: this.admin, name, schemas, lookupsOnly: this.options.lookupsOnly === true },
      async () => {
        try {
          await drop();
        } finally {
          await then();
        }
      },
    );
  }

  /** Only if started for this suite. */
  public stop(): Promise<void> {
    return this.shutDown();
  }

  /** Renamed to `name` only after all migrations have run. */
  private async template(client: Client, schemas: readonly TestSchema[]): Promise<string> {
    const name = `template_${digestOf(schemas)}`;
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 1) return name;
    const unfinished = `${name}_unfinished`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await ensureServiceLogins(this.admin, unfinished, loginsOf(schemas));
    for (const { name: schema, migrations = [], asDeployed = false } of schemas) {
      if (migrations.length === 0) continue;
      const db = await Database.connect({ ...configOf(this.admin, unfinished, schema), maxConnections: 1, migrations });
      try {
        await db.migrate();
      } finally {
        await db.close();
      }
      if (!asDeployed)
        await this.asAdmin(
          (admin) => admin.query(`grant truncate, maintain on all tables in schema ${schema} to vuka_${schema}`),
          unfinished,
        );
    }
    await client.query(`alter database ${unfinished} rename to ${name}`);
    return name;
  }

  private async asAdmin<T>(work: (client: Client) => Promise<T>, database = 'postgres'): Promise<T> {
    const { host, port, user, password } = this.admin;
    const client = new Client({
      host,
      port,
      user,
      password,
      database,
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

interface Place {
  readonly admin: AdminLogin;
  readonly name: string;
  readonly schemas: readonly TestSchema[];
  readonly lookupsOnly: boolean;
}

export class TestDatabase {
  private readonly opened: Database[] = [];

  public constructor(
    private readonly place: Place,
    private readonly remove: () => Promise<void>,
  ) {}

  /** Of the first schema. */
  public get config(): TestConfig {
    return this.of((this.place.schemas[0] as TestSchema).name);
  }

  public of(schema: string): TestConfig {
    const { admin, name, lookupsOnly } = this.place;
    return { ...configOf(admin, name, schema), ...(lookupsOnly && { lookupsOnly }) };
  }

  /** Superuser. */
  public get adminUrl(): string {
    const {
      admin: { host, port, user, password },
      name,
    } = this.place;
    return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`;
  }

  /** Separate pool, closed by `stop`. */
  public async connect(over: Partial<DatabaseConfig> = {}): Promise<Database> {
    const db = await Database.connect({ ...this.config, migrations: [], ...over });
    this.opened.push(db);
    return db;
  }

  /** As superuser: for what a service's login cannot do. Closed by `stop`. */
  public connectAsAdmin(): Promise<Database> {
    const { user, password } = this.place.admin;
    return this.connect({ user, password });
  }

  public async stop(): Promise<void> {
    await Promise.all(this.opened.map((db) => db.close()));
    await this.remove();
  }
}

function adminOf({ hostname, port, username, password }: URL): AdminLogin {
  return {
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

function configOf({ host, port }: AdminLogin, database: string, schema: string): TestConfig {
  return {
    host,
    port,
    user: `vuka_${schema}`,
    password: PASSWORD,
    database,
    schema,
    maxConnections: 4,
    applicationName: `${schema}-test`,
  };
}

const loginsOf = (schemas: readonly TestSchema[]): { name: string; password: string }[] =>
  schemas.map(({ name }) => ({ name, password: PASSWORD }));

/** By migration text, because suites may use equal names. */
function digestOf(schemas: readonly TestSchema[]): string {
  const text = JSON.stringify(
    schemas.map(({ name, migrations = [], asDeployed }) => [name, migrations.map(textOf), asDeployed]),
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const textOf = (migration: MigrationClass): string => (migration as { sql?: string }).sql ?? String(migration);
