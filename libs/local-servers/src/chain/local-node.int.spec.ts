import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startLocalNode, type LocalNode } from './local-node.js';
import { log } from '../local-servers.spec-support.js';

const PROGRAM = `
import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
const [, , , folder, , port] = process.argv;
const server = createServer((_request, response) => response.end(JSON.stringify({ folder, secret: process.env.SECRET ?? null })));
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
writeFileSync(folder + '/listens.json', JSON.stringify({ pid: process.pid }));
process.once('SIGTERM', () => { writeFileSync(folder + '/ended', 'orderly'); process.exit(0); });
`;

describe('a program of ours as a server of this machine', () => {
  let work: string;
  let program: string;
  const started: LocalNode[] = [];

  const start = async (name: string, more: { port?: number; program?: string } = {}): Promise<LocalNode> => {
    const node = await startLocalNode({ name: 'node', program, folder: join(work, name), log, ...more });
    started.push(node);
    return node;
  };

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-node-'));
    program = join(work, 'program.mjs');
    await writeFile(program, PROGRAM);
  });
  afterAll(async () => {
    await Promise.all(started.map((node) => node.stop()));
    await rm(work, { recursive: true, force: true });
  }, 60_000);

  it('answers on its folder, knows nothing of our settings, ends when it is told to, and comes back on its port', async () => {
    process.env['SECRET'] = 'mine';
    const first = await start('one');
    delete process.env['SECRET'];
    expect(await (await fetch(first.url)).json()).toEqual({ folder: join(work, 'one'), secret: null });
    await first.stop();
    expect(await readFile(join(work, 'one', 'ended'), 'utf8')).toBe('orderly');
    expect((await start('one')).port).toBe(first.port);
  }, 30_000);

  it('tells that it was killed', async () => {
    const node = await start('killed');
    process.kill(node.pid, 'SIGKILL');
    expect(await node.ended).toBe('SIGKILL');
  }, 30_000);

  it('is not taken for a stranger at its port', async () => {
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    await expect(start('late', { port })).rejects.toThrow(`node does not start: port ${port} is taken`);
    stranger.close();
  }, 30_000);

  it('that ends at once, or is not there, is told with why', async () => {
    const broken = join(work, 'broken.mjs');
    await writeFile(broken, "throw new Error('no such library');");
    await expect(start('broken', { program: broken })).rejects.toThrow(/node ended while starting: .*no such library/s);
    await expect(start('missing', { program: join(work, 'missing.mjs') })).rejects.toThrow(
      /missing\.mjs is missing: build first/,
    );
  }, 30_000);
});
