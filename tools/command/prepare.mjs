import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { build } from '../build/build.mjs';
import { giveUp, say, step } from './progress.mjs';
import { ROOT, run, runScript } from './run.mjs';

const INSTALL_TIMEOUT_MS = 15 * 60_000;
const LOOK_AGAIN_MS = 200;
/** Another command's check of an up-to-date build takes less, so it is not reported. */
const WORTH_TELLING_MS = 3_000;

/** Ended on 30 April 2026 (nodejs.org/en/about/previous-releases): it gets no more repairs. */
const ENDED = 20;

/** `quietly` does not report a fast build. */
export async function prepare({ withInstall = true, withBuild, quietly = false }) {
  checkNodeVersion({ quietly });
  await oneAtATime(async () => {
    if (withInstall && dependenciesAreStale()) await install();
    if (withBuild) await buildAll(quietly);
  });
}

let wasNoticed = false;

function checkNodeVersion({ quietly }) {
  const version = process.versions.node;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node;
  if (!satisfies(version, wanted)) {
    giveUp(
      `Vuka needs Node.js ${wanted}, but this is ${version} (${process.execPath}).`,
      'Install one of these versions (nodejs.org, nvm, fnm) and run the command again.',
    );
  }
  const notice = noticeOf(version);
  if (notice === undefined || quietly || wasNoticed) return;
  wasNoticed = true;
  say(notice);
}

export function noticeOf(version) {
  if (parseInt(version, 10) > ENDED) return undefined;
  return `! Node.js ${version} gets no more security repairs. Vuka still runs on it; use Node.js 22 or 24.`;
}

export function satisfies(version, ranges) {
  const have = version.split('.').map((part) => parseInt(part, 10));
  return ranges.split('||').some((range) => {
    const [, kind, text] = /^\s*(\^|>=)(\d+\.\d+\.\d+)\s*$/.exec(range) ?? [];
    if (!text) throw new Error(`engines.node holds a range this check does not know: ${range}`);
    const least = text.split('.').map((part) => parseInt(part, 10));
    const differs = least.findIndex((part, place) => part !== have[place]);
    const enough = differs === -1 || have[differs] > least[differs];
    return enough && (kind === '>=' || have[0] === least[0]);
  });
}

/**
 * npm writes node_modules/.package-lock.json last, so this finds broken-off installs and a changed lock file. Optional
 * packages of other platforms may be missing.
 */
export function dependenciesAreStale() {
  const hidden = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return true;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).some(([path, entry]) => {
    if (!path.startsWith('node_modules/') || entry.optional) return false;
    // No install can add a workspace whose folder does not exist.
    if (entry.link) return existsSync(join(ROOT, entry.resolved)) && !existsSync(join(ROOT, path));
    return installed[path]?.version !== entry.version || !existsSync(join(ROOT, path));
  });
}

async function install() {
  await step('install the dependencies (npm ci; about a minute the first time)', async (tell) => {
    const ticking = setInterval(() => tell(`${countInstalled()} packages unpacked so far`), 10_000);
    const problems = [];
    try {
      const args = ['ci', '--no-audit', '--no-fund'];
      const keep = (line) => /\berr(or|!)/i.test(line) && problems.push(line);
      const options = { onLine: keep, timeoutMs: INSTALL_TIMEOUT_MS };
      // Use the npm that runs us.
      const npm = process.env.npm_execpath;
      const { code, timedOut } = npm?.endsWith('.js')
        ? await runScript(npm, args, options)
        : await run('npm', args, options);
      if (code !== 0) {
        const why = timedOut
          ? `It took longer than ${INSTALL_TIMEOUT_MS / 60_000} minutes.`
          : problems.slice(0, 20).join('\n  ');
        giveUp('Installing the dependencies failed.', why || 'Run `npm ci` to see what npm says.');
      }
    } finally {
      clearInterval(ticking);
    }
  });
}

function countInstalled() {
  try {
    return readdirSync(join(ROOT, 'node_modules')).length;
  } catch {
    return 0;
  }
}

async function buildAll(quietly) {
  const work = async (tell) => {
    try {
      tell(`${await build()} files written`);
    } catch (error) {
      giveUp('The build failed.', error.message);
    }
  };
  await (quietly ? work(() => undefined) : step('build', work));
}

/** Two commands in a fresh clone: one installs and builds, the other waits. */
async function oneAtATime(work) {
  const folder = join(tmpdir(), `vuka-setup-${createHash('sha256').update(ROOT).digest('hex').slice(0, 16)}`);
  const from = Date.now();
  for (let told = false; !(await claim(folder)); await pause(LOOK_AGAIN_MS)) {
    if (told || Date.now() - from < WORTH_TELLING_MS) continue;
    say('… waiting for another Vuka command that installs or builds here');
    told = true;
  }
  const release = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function claim(folder) {
  try {
    await mkdir(folder);
    await writeFile(join(folder, 'pid'), String(process.pid));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true });
    return false;
  }
}

async function isAbandoned(folder) {
  try {
    const pid = parseInt(await readFile(join(folder, 'pid'), 'utf8'), 10);
    process.kill(pid, 0);
    return false;
  } catch (error) {
    if (error.code === 'EPERM') return false;
    if (error.code === 'ESRCH') return true;
    const made = await stat(folder).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs > 5_000;
  }
}
