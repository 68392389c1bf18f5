import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '@vuka/cli';
import { loadSettings } from '@vuka/config';
import { formatOfThisBuild, markBuild, refuseOtherBuild, takeFolder } from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';
import { loadStackSettings, runStack, Supervisor } from '@vuka/stack';
import { paintFor } from '@vuka/terminal';
import { folderPrint, makeEarlierFolder } from '@vuka/testing';

import { EmbeddedVuka } from './embedded-vuka.js';

let base: string;
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'vuka-build-'));
  folder = join(base, 'data');
});

afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

const refusal = (path: string, variable = 'VUKA_DATA_DIR'): Promise<unknown> =>
  refuseOtherBuild(path, variable).then(
    () => null,
    (error: unknown) => error,
  );
const built = (format: string): Record<string, string> => ({ 'build.json': JSON.stringify({ format }) });

describe('a data folder', () => {
  it('that is new is marked durably with its build, readable only for its owner', async () => {
    await mkdir(folder);
    expect(await refusal(folder)).toBeNull();
    await markBuild(folder);
    expect(await readdir(folder)).toEqual(['build.json']);
    expect(JSON.parse(await readFile(join(folder, 'build.json'), 'utf8'))).toEqual({
      format: await formatOfThisBuild(),
    });
    expect((await stat(join(folder, 'build.json'))).mode & 0o777).toBe(0o600);
    makeEarlierFolder(folder);
    const before = folderPrint(folder);
    expect(await refusal(folder)).toBeNull();
    await markBuild(folder);
    expect(folderPrint(folder)).toEqual(before);
  });

  it('is marked before anything else is made in it', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const vuka = new EmbeddedVuka(
      loadSettings({ VUKA_DATA_DIR: folder, HOST: '127.0.0.1', PORT: String((busy.address() as AddressInfo).port) }),
      () => undefined,
    );
    await expect(vuka.start()).rejects.toThrow(/Another program uses port/);
    await vuka.stop(1_000);
    busy.close();
    expect(await readdir(folder)).toEqual(['build.json']);
  });

  it('that does not exist, or is a file, is left to other checks', async () => {
    await writeFile(folder, '');
    expect(await refusal(folder)).toBeNull();
    expect(await refusal(join(folder, 'below'))).toBeNull();
    expect(await refusal(join(base, 'none'))).toBeNull();
  });

  it('of another build is refused with its name and what to do', async () => {
    makeEarlierFolder(folder);
    expect(await refusal(folder, 'VUKA_STACK_DIR')).toEqual(
      new BootError(
        `Another build of Vuka made the data folder ${folder}. Nothing in it was changed.`,
        'Name another folder with VUKA_STACK_DIR. Or remove this one to start again from nothing: everything in it is then lost.',
      ),
    );
  });

  it.each<[string, Record<string, string>]>([
    ['has secrets alone', { 'secrets.json': '{}' }],
    ['has a database alone', { 'postgres/data/PG_VERSION': '18' }],
    ['says another format', { ...built('0123456789abcdef'), 'secrets.json': '{}' }],
    ['says another format and has nothing else', built('0123456789abcdef')],
    ['says nothing that is understood', { 'build.json': '{' }],
    ['says a format of another kind', { 'build.json': '{"format":7}' }],
  ])('is another build’s where it %s', async (_, files) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    expect(await refusal(folder)).toBeInstanceOf(BootError);
  });

  it('is refused if its build.json cannot be read, with the name of that file', async () => {
    if (process.getuid?.() === 0)
      return expect(
        await mkdir(join(folder, 'build.json'), { recursive: true }).then(() => refusal(folder)),
      ).toMatchObject({ message: expect.stringContaining(`${folder}/build.json cannot be read (EISDIR)`) });
    makeEarlierFolder(folder, built(await formatOfThisBuild()));
    await chmod(join(folder, 'build.json'), 0);
    return expect(await refusal(folder)).toMatchObject({
      message: expect.stringContaining(`${folder}/build.json cannot be read (EACCES)`),
    });
  });
});

describe('a folder of another build is refused and left as it was', () => {
  const REFUSED = 'Another build of Vuka made the data folder';
  const quiet = (): undefined => undefined;

  it.each<[string, Record<string, string>]>([
    ['without a build.json', {}],
    ['with another format', built('0123456789abcdef')],
  ])(
    'by every start and command, %s',
    async (_, more) => {
      makeEarlierFolder(folder, more);
      const before = folderPrint(folder);

      const vuka = new EmbeddedVuka(loadSettings({ VUKA_DATA_DIR: folder, PORT: '0' }), quiet);
      await expect(vuka.start()).rejects.toThrow(REFUSED);
      await vuka.stop(1_000);
      expect(folderPrint(folder)).toEqual(before);

      const stack = new Supervisor(loadStackSettings({ VUKA_STACK_DIR: folder, LOG_LEVEL: 'silent' }), {
        line: quiet,
        ready: quiet,
        stopAsked: quiet,
      });
      await expect(stack.start()).rejects.toThrow(REFUSED);
      await stack.stop();
      expect(folderPrint(folder)).toEqual(before);

      const told: string[] = [];
      const around = {
        say: (text: string) => void told.push(text),
        complain: (text: string) => void told.push(text),
        paint: paintFor(process.stdout, { NO_COLOR: '1' }),
      };
      expect(await runStack([], { ...around, env: { VUKA_STACK_DIR: folder } })).toBe(1);
      for (const [word, code] of Object.entries({ stuck: 1, ledger: 3, 'cipher-rotate': 1 }))
        expect(await runCommand([word], { ...around, env: { VUKA_DATA_DIR: folder } })).toBe(code);
      expect(told.map((text) => text.trim().split('\n')[0])).toEqual(
        Array.from({ length: 4 }, () => `✗ ${REFUSED} ${folder}. Nothing in it was changed.`),
      );
      expect(folderPrint(folder)).toEqual(before);
    },
    30_000,
  );

  it('also if it becomes one during the wait for its lock', async () => {
    const open = async (): Promise<{ path: string }> => (await mkdir(folder, { recursive: true }), { path: folder });
    const { lock } = await takeFolder({ path: folder, variable: 'VUKA_DATA_DIR', open }, { waitMs: 0 });
    const other = async (): Promise<void> => {
      makeEarlierFolder(folder, {
        ...built('0123456789abcdef'),
        'vuka.lock': await readFile(join(folder, 'vuka.lock'), 'utf8'),
      });
      await lock.release();
    };
    await expect(
      takeFolder({ path: folder, variable: 'VUKA_DATA_DIR', open }, { waitMs: 10_000, onWait: () => void other() }),
    ).rejects.toThrow(REFUSED);
    expect(existsSync(join(folder, 'vuka.lock'))).toBe(false);
  });
});
