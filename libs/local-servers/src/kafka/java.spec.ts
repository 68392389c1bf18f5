import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findJava } from './java.js';

describe('finding Java', () => {
  let work: string;

  const javaHome = async (name: string, words: string): Promise<string> => {
    const home = join(work, name);
    await mkdir(join(home, 'bin'), { recursive: true });
    await writeFile(join(home, 'bin', 'java'), `#!/bin/sh\necho '${words}' >&2\n`);
    await chmod(join(home, 'bin', 'java'), 0o755);
    return home;
  };

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-java-'));
  });
  afterAll(() => rm(work, { recursive: true, force: true }));

  it.each([
    ['openjdk version "17.0.15" 2025-04-15', 17],
    ['openjdk version "21-ea" 2023-09-19', 21],
    ['java version "25" 2025-09-16 LTS', 25],
  ])('reads %s', async (words, version) => {
    const home = await javaHome(`of-${version}`, words);
    expect(await findJava(17, { JAVA_HOME: home, PATH: '/bin' })).toMatchObject({
      ok: true,
      java: join(home, 'bin', 'java'),
      version,
    });
  });

  it.each([
    ['openjdk version "11.0.2" 2019-01-15', 'Java 11'],
    ['java version "1.8.0_402"', 'Java 8'],
  ])('refuses %s and says what it found', async (words, named) => {
    const home = await javaHome(named.replace(' ', '-'), words);
    const found = await findJava(17, { JAVA_HOME: home, PATH: join(work, 'nothing') });
    expect(found).toMatchObject({ ok: false, why: expect.stringContaining(named) });
    expect(found).toMatchObject({ why: expect.stringContaining('Kafka needs Java 17 or later') });
  });

  it('takes the one on PATH where that of JAVA_HOME is too old', async () => {
    const old = await javaHome('too-old', 'openjdk version "11.0.2"');
    const onPath = await javaHome('on-path', 'openjdk version "18.0.1"');
    expect(await findJava(17, { JAVA_HOME: old, PATH: `${join(onPath, 'bin')}:/bin` })).toMatchObject({
      ok: true,
      java: 'java',
      version: 18,
    });
  });

  it('says what to install where there is none', async () => {
    const found = await findJava(17, { PATH: join(work, 'nothing') });
    expect(found).toMatchObject({
      ok: false,
      why: expect.stringMatching(/none on PATH.*openjdk-17-jre-headless.*JAVA_HOME/),
    });
  });
});
