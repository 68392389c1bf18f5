import { closeSync, fdatasyncSync, openSync, readFileSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Above this share of other load the figures are too low. */
export const IDLE_SHARE = 0.15;
const SAMPLE_MS = 1_000;
const WAIT_FOR_IDLE_MS = 15_000;
/** Of Linux's process statistics; 100 wherever Node runs. */
const TICKS_PER_SECOND = 100;

export function describeMachine() {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()}, Node ${process.versions.node}`;
}

export async function busyShare() {
  const before = sum();
  await pause(SAMPLE_MS);
  const after = sum();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function sum() {
  const all = { idle: 0, all: 0 };
  for (const { times } of cpus()) {
    all.idle += times.idle;
    all.all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return all;
}

export async function waitUntilIdle() {
  const giveUpAt = Date.now() + WAIT_FOR_IDLE_MS;
  let busy = await busyShare();
  while (busy > IDLE_SHARE && Date.now() < giveUpAt) busy = await busyShare();
  return { busy, isIdle: busy <= IDLE_SHARE };
}

/** Median ms of an 8 KiB write with fdatasync in `folder`: the cost of one commit. */
export function syncLatency(folder) {
  const path = join(folder, 'sync-probe');
  const file = openSync(path, 'w');
  const block = Buffer.alloc(8_192, 1);
  const times = [];
  for (let i = 0; i < 200; i += 1) {
    const from = performance.now();
    writeSync(file, block, 0, block.length, i * block.length);
    fdatasyncSync(file);
    times.push(performance.now() - from);
  }
  closeSync(file);
  rmSync(path);
  return times.sort((a, b) => a - b)[100];
}

export function processorSeconds(pid, { withChildren = false } = {}) {
  const pids = withChildren ? [pid, ...childrenOf(pid)] : [pid];
  return pids.reduce((total, each) => total + (ticksOf(each)?.ticks ?? 0), 0) / TICKS_PER_SECOND;
}

function childrenOf(parent) {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && ticksOf(name)?.parent === parent)
      .map(Number);
  } catch {
    return [];
  }
}

function ticksOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}
