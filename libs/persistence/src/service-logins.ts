import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

import { Client } from 'pg';

export interface AdminLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface ServiceLogin {
  /** Also its schema; the login is `vuka_<name>`. */
  readonly name: string;
  readonly password: string;
  /** BullMQ needs it. */
  readonly createsSchemas?: boolean;
}

const NAME = /^[a-z][a-z0-9_]{0,40}$/;
const SCRAM_ITERATIONS = 4_096;
const HAND_OVER = readFileSync(new URL('./owners/hand-over.sql', import.meta.url), 'utf8');

/**
 * Each reaches one schema. It owns it until it has made its tables, and then hands them over to `vuka_<name>_owner`
 * (owners/hand-over.sql). Safe at each start.
 */
export async function ensureServiceLogins(
  admin: AdminLogin,
  database: string,
  services: readonly ServiceLogin[],
): Promise<void> {
  for (const name of [database, ...services.map((service) => service.name)]) {
    if (!NAME.test(name)) throw new Error(`not a database name: ${name}`);
  }
  const statements = await Promise.all(services.map((service) => serviceSql(database, service)));
  const client = await connectOrCreate(admin, database);
  try {
    await client.query(
      [
        `REVOKE ALL ON DATABASE ${database} FROM PUBLIC`,
        'REVOKE ALL ON SCHEMA public FROM PUBLIC',
        HAND_OVER,
        ...statements.flat(),
      ].join(';\n'),
    );
  } finally {
    await client.end();
  }
}

async function connectOrCreate(admin: AdminLogin, database: string): Promise<Client> {
  try {
    return await connect(admin, database);
  } catch (error) {
    if ((error as { code?: string }).code !== '3D000') throw error;
  }
  const maintenance = await connect(admin, 'postgres');
  try {
    await maintenance.query(`CREATE DATABASE ${database} ENCODING 'UTF8' TEMPLATE template0`);
  } finally {
    await maintenance.end();
  }
  return connect(admin, database);
}

async function connect({ host, port, user, password }: AdminLogin, database: string): Promise<Client> {
  const client = new Client({
    host,
    port,
    user,
    password,
    database,
    connectionTimeoutMillis: 5_000,
    query_timeout: 15_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function serviceSql(database: string, { name, password, createsSchemas }: ServiceLogin): Promise<string[]> {
  const role = `vuka_${name}`;
  return [
    `DO $$ BEGIN CREATE ROLE ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    `ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '${await scramVerifier(password)}'`,
    `DO $$ BEGIN CREATE ROLE ${role}_owner NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    `CREATE SCHEMA IF NOT EXISTS ${name} AUTHORIZATION ${role}`,
    `GRANT CONNECT${createsSchemas === true ? ', CREATE' : ''} ON DATABASE ${database} TO ${role}`,
    `GRANT USAGE ON SCHEMA vuka_owners TO ${role}`,
    `GRANT EXECUTE ON FUNCTION vuka_owners.hand_over(jsonb) TO ${role}`,
  ];
}

/** RFC 5803; so no statement or log has the password. */
async function scramVerifier(password: string): Promise<string> {
  if (!/^[\x21-\x7e]{16,128}$/.test(password))
    throw new Error('a service password has 16 to 128 printable ASCII characters');
  const salt = randomBytes(16);
  const salted = await promisify(pbkdf2)(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
