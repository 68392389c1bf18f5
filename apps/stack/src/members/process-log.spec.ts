import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { boundLog, lastLines, linesSince, openLog } from './process-log.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vuka-log-'));
  file = join(folder, 'a.log');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the log of a process', () => {
  it('is bounded while it is written: the writer goes on at the beginning of the same file', () => {
    const log = openLog(file);
    writeSync(log, 'one\ntwo\n');
    boundLog(file, 100);
    expect(existsSync(`${file}.1`)).toBe(false);
    boundLog(file, 5);
    writeSync(log, 'three\n');
    closeSync(log);
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(file, 'utf8')).toBe('three\n');
  });

  it('gives its last lines, also from an older file', () => {
    const long = 'x'.repeat(70_000);
    writeFileSync(file, `first\n${long}\nlast\n`);
    expect(lastLines(file, 1).lines).toEqual(['last']);
    expect(lastLines(file, 2).lines).toEqual([long, 'last']);
    expect(lastLines(file, 9).lines).toEqual(['first', long, 'last']);
    expect(lastLines(file, 0)).toEqual({ lines: [], end: 70_012 });
    expect(lastLines(join(folder, 'none.log'), 3)).toEqual({ lines: [], end: 0 });
  });

  it('gives whole lines as they come, and starts again after it was truncated', () => {
    writeFileSync(file, 'one\ntw');
    const first = linesSince(file, 0);
    expect(first).toEqual({ lines: ['one'], end: 4 });
    appendFileSync(file, 'o\n');
    expect(linesSince(file, first.end)).toEqual({ lines: ['two'], end: 8 });
    expect(linesSince(file, 8)).toEqual({ lines: [], end: 8 });
    truncateSync(file, 0);
    appendFileSync(file, 'new\n');
    expect(linesSince(file, 8)).toEqual({ lines: ['new'], end: 4 });
  });
});
