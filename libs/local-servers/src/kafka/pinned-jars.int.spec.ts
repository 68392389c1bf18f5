import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { fetchJars, type FetchedJars, type PinnedJar } from './pinned-jars.js';

const CONTENT = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`org/${name}/1/${name}-1.jar`, `content of ${name} `.repeat(500)]),
);
const JARS: PinnedJar[] = Object.entries(CONTENT).map(([path, text]) => ({
  path,
  size: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
}));

describe('fetching pinned jars', () => {
  let work: string;
  let server: Server;
  let mirror: string;
  let asked: string[];
  const logins = new Set<string | undefined>();
  let answer: (path: string, response: ServerResponse) => void;
  const honest = (path: string, response: ServerResponse): void => void response.end(CONTENT[path]);

  beforeAll(async () => {
    // Else an idle connection may close during reuse.
    server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      const path = (request.url ?? '').replace(/^\/mirror\//, '');
      asked.push(path);
      logins.add(request.headers.authorization);
      answer(path, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    mirror = `http://who:secret@127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`;
  });
  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-jars-'));
    asked = [];
    answer = honest;
  });
  afterEach(() => rm(work, { recursive: true, force: true }));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const folder = (): string => join(work, 'cache');
  const fetchAll = (more: { timeoutMs?: number; tell?: (line: string) => void } = {}): Promise<FetchedJars> =>
    fetchJars({ jars: JARS, folder: folder(), env: { HOME: work, VUKA_MAVEN_URL: mirror }, ...more });
  const names = async (): Promise<string[]> => (await readdir(folder())).sort();

  it('takes them from the mirror, tells it without its password, and asks for nothing the second time', async () => {
    const lines: string[] = [];
    const tell = (line: string): void => void lines.push(line);
    const fetched = await fetchAll({ tell });
    expect(fetched).toEqual({ ok: true, files: JARS.map(({ path }) => join(folder(), path.split('/').pop() ?? '')) });
    expect(await readFile(join(folder(), 'a-1.jar'), 'utf8')).toBe(CONTENT['org/a/1/a-1.jar']);
    expect(asked.sort()).toEqual(JARS.map(({ path }) => path));
    expect(lines[0]).toContain('6 jars');
    expect(lines.join('\n')).not.toContain('secret');
    expect([...logins]).toEqual([`Basic ${Buffer.from('who:secret').toString('base64')}`]);
    asked = [];
    lines.length = 0;
    expect((await fetchAll({ tell })).ok).toBe(true);
    expect([...asked, ...lines]).toEqual([]);
  });

  it('refuses another content of the same size, after a second try, and keeps nothing of it', async () => {
    answer = (path, response) =>
      void response.end(path.startsWith('org/c') ? 'x'.repeat(CONTENT[path]?.length ?? 0) : CONTENT[path]);
    expect(await fetchAll()).toMatchObject({
      ok: false,
      why: expect.stringMatching(/^c-1\.jar cannot be had .*checksum is not the pinned one/),
    });
    expect(asked.filter((path) => path.startsWith('org/c'))).toHaveLength(2);
    expect(await names()).not.toContain('c-1.jar');
    expect((await names()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('stops reading what is larger than it should be', async () => {
    answer = (path, response) =>
      void (path.startsWith('org/b') ? response.end(`${CONTENT[path]}and more`) : honest(path, response));
    expect(await fetchAll()).toMatchObject({ ok: false, why: expect.stringContaining('larger than the pinned') });
  });

  it('gets over one broken answer', async () => {
    answer = (path, response) =>
      void (asked.filter((before) => before === path).length === 1
        ? response.writeHead(503).end()
        : honest(path, response));
    expect((await fetchAll()).ok).toBe(true);
    expect(asked).toHaveLength(2 * JARS.length);
  });

  it('says so where the mirror is no address', async () => {
    const env = { HOME: work, VUKA_MAVEN_URL: 'mirror.example' };
    expect(await fetchJars({ jars: JARS, folder: folder(), env })).toEqual({
      ok: false,
      why: 'VUKA_MAVEN_URL is not a URL',
    });
  });

  it('does not wait for ever for a mirror that says nothing', async () => {
    answer = () => undefined;
    expect(await fetchAll({ timeoutMs: 100 })).toMatchObject({ ok: false, why: expect.stringContaining('timeout') });
  });

  it('fetches anew what was spoilt in the cache, and only that', async () => {
    await fetchAll();
    asked = [];
    await writeFile(join(folder(), 'd-1.jar'), CONTENT['org/d/1/d-1.jar']?.replace('d', 'D') ?? '');
    expect((await fetchAll()).ok).toBe(true);
    expect(asked).toEqual(['org/d/1/d-1.jar']);
    expect(await readFile(join(folder(), 'd-1.jar'), 'utf8')).toBe(CONTENT['org/d/1/d-1.jar']);
  });

  it("takes what lies in the user's Maven repository where it is the very jar", async () => {
    for (const [path, text] of [
      ['org/a/1/a-1.jar', CONTENT['org/a/1/a-1.jar']],
      ['org/b/1/b-1.jar', 'another'],
    ] as const) {
      await mkdir(dirname(join(work, '.m2/repository', path)), { recursive: true });
      await writeFile(join(work, '.m2/repository', path), text ?? '');
    }
    expect((await fetchAll()).ok).toBe(true);
    expect(asked).not.toContain('org/a/1/a-1.jar');
    expect(asked).toContain('org/b/1/b-1.jar');
    expect(await readFile(join(folder(), 'b-1.jar'), 'utf8')).toBe(CONTENT['org/b/1/b-1.jar']);
  });

  it('lets several fetch into one folder at once', async () => {
    const results = await Promise.all([fetchAll(), fetchAll(), fetchAll()]);
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(await names()).toEqual(['a-1.jar', 'b-1.jar', 'c-1.jar', 'd-1.jar', 'e-1.jar', 'f-1.jar']);
    expect(await readFile(join(folder(), 'f-1.jar'), 'utf8')).toBe(CONTENT['org/f/1/f-1.jar']);
  });
});
