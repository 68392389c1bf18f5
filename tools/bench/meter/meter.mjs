import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { giveUp } from '../../command/progress.mjs';
import { ROOT } from '../../command/run.mjs';
import { median, table } from '../table.mjs';

const PAIRS = 5;
const QUICK_PAIRS = 1;
/** Below this a ratio means nothing: the system counts in 1/100 s. */
const TOO_LITTLE = 0.1;
const SAMPLE_WITHIN_MS = 600_000;
const SAMPLE = 'tools/bench/meter/sample.mjs';
const HEADER = ['unit of work', 'together', 'by process', 'statements', 'WAL bytes'];

export async function measureHere({ quick, samples }, tell) {
  const found = [];
  for (let round = 1; round <= samples; round += 1)
    found.push(await sampleOf(ROOT, { quick, tell: (line) => tell(`${round} of ${samples}: ${line}`) }));
  return found;
}

/**
 * This checkout and another in turn, as `[here, there]` pairs. The first one alternates, so that drift affects both.
 */
export async function measurePairs(other, { quick }, tell) {
  const folders = { here: ROOT, there: resolve(other) };
  if (!existsSync(join(folders.there, SAMPLE)))
    giveUp(`${folders.there} has no meter.`, `It needs ${SAMPLE}, installed and built.`);
  const pairs = [];
  const count = quick ? QUICK_PAIRS : PAIRS;
  for (let round = 0; round < count; round += 1) {
    const pair = {};
    for (const side of round % 2 === 0 ? ['here', 'there'] : ['there', 'here']) {
      pair[side] = await sampleOf(folders[side], {
        quick,
        tell: (line) => tell(`pair ${round + 1} of ${count}, ${side}: ${line}`),
      });
    }
    pairs.push(pair);
  }
  return pairs;
}

/** Each checkout measures itself with its own code. Throws on failure or timeout. */
function sampleOf(folder, { quick, tell }) {
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, [join(folder, SAMPLE), ...(quick ? ['--quick'] : [])], {
      cwd: folder,
      timeout: SAMPLE_WITHIN_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let answer = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (answer += text));
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
      for (const line of text.split('\n').filter((each) => each.endsWith(' ms'))) tell(line);
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? settle(JSON.parse(answer))
        : reject(new Error(`the meter of ${folder} ended with ${code}:\n${errors}`)),
    );
  });
}

export function meterReport(samples) {
  const [{ durability, units }] = samples;
  return [
    '## What a unit of work takes',
    `Milliseconds of one processor for each unit, with what an idle Vuka takes meanwhile taken off; median of ${samples.length}. Durable: ${durability.join(', ')}.`,
    'The sandbox’s provider is in Vuka’s own process, and apart where the services are.',
    '',
    ...table(
      HEADER,
      units.map((unit, at) =>
        rowOf(
          unit,
          samples.map((sample) => sample.units[at]),
        ),
      ),
    ),
  ];
}

function rowOf({ name, ms }, found) {
  const of = (read) => median(found.map(read));
  const parts = Object.keys(ms).map((process) => `${process} ${of((unit) => unit.ms[process]).toFixed(2)}`);
  const optional = (key, digits) => (found[0][key] === undefined ? '–' : of((unit) => unit[key]).toFixed(digits));
  return [name, of(together).toFixed(2), parts.join(', '), optional('statements', 1), optional('walBytes', 0)];
}

const together = ({ ms }) => Object.values(ms).reduce((sum, each) => sum + each, 0);

/** All processes together; undefined where the unit was not measured. */
export function msOfUnit(samples, name) {
  const found = samples.map(({ units }) => units.find((unit) => unit.name === name));
  return found.includes(undefined) ? undefined : median(found.map(together));
}

export function pairsReport(pairs, other) {
  const [{ here }] = pairs;
  const line = (name, read) => {
    const known = median(pairs.map((pair) => read(pair.there)));
    if (known < TOO_LITTLE)
      return [name, known.toFixed(2), median(pairs.map((pair) => read(pair.here))).toFixed(2), '–', '–'];
    const ratios = pairs.map((pair) => read(pair.here) / read(pair.there));
    const percent = (ratio) => `${((ratio - 1) * 100).toFixed(1)} %`;
    return [
      name,
      known.toFixed(2),
      median(pairs.map((pair) => read(pair.here))).toFixed(2),
      percent(median(ratios)),
      `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))}`,
    ];
  };
  const rows = here.units.flatMap(({ name, ms, statements, walBytes }, at) => [
    line(`${name}, ms`, ({ units }) => together(units[at])),
    ...Object.keys(ms).map((process) => line(`  ${process}`, ({ units }) => units[at].ms[process] ?? 0)),
    ...(statements === undefined ? [] : [line('  statements', ({ units }) => units[at].statements)]),
    ...(walBytes === undefined ? [] : [line('  WAL bytes', ({ units }) => units[at].walBytes)]),
  ]);
  return [
    `## Against ${other}`,
    `Pairs measured in turn: ${pairs.length}. Medians, and the ratio pair by pair: how much dearer here. Durable: ${here.durability.join(', ')}.`,
    '',
    ...table(['unit of work', 'there', 'here', 'median', 'spread'], rows),
  ];
}
