import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { BootError, readableLine } from '@vuka/runtime';
import type { Paint } from '@vuka/terminal';

import { lastLines, linesSince } from '../members/process-log.js';

export interface LogsWanted {
  /** A process, or all instances of a service; null: everything with service logs. */
  readonly about: string | null;
  readonly follow: boolean;
  readonly lines: number;
}

interface Source {
  readonly name: string;
  readonly file: string;
  end: number;
}

interface Line {
  readonly name: string;
  readonly text: string;
  /** RFC 3339; lines without a time get the one before. */
  readonly time: string;
}

const LOOK_AGAIN_MS = 200;
/** Servers have their own log format, so they are shown only by name. */
const isServer = (name: string): boolean => ['kafka', 'redis', 'postgres'].includes(name) || name.startsWith('chain-');

export async function printLogs(
  folder: string,
  wanted: LogsWanted,
  say: (line: string) => void,
  paint: Paint,
  signal: AbortSignal,
): Promise<void> {
  let sources = sourcesOf(folder, wanted.about);
  if (sources.length === 0)
    throw new BootError(
      `There is no log of ${wanted.about ?? 'anything'} in ${join(folder, 'logs')}.`,
      `There are: ${allNames(folder).join(', ') || 'none'}.`,
    );
  const print = (lines: readonly Line[]): void => lines.forEach((line) => say(printed(line, paint)));
  const first = sources.flatMap((source) => {
    const { lines, end } = lastLines(source.file, wanted.lines);
    source.end = end;
    return read(source.name, lines);
  });
  print(inOrder(first).slice(wanted.lines === 0 ? first.length : -wanted.lines));
  while (wanted.follow && !signal.aborted) {
    await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    const found = sources.flatMap((source) => {
      const { lines, end } = linesSince(source.file, source.end);
      source.end = end;
      return read(source.name, lines);
    });
    print(inOrder(found));
    const known = new Set(sources.map(({ name }) => name));
    sources = [...sources, ...sourcesOf(folder, wanted.about).filter(({ name }) => !known.has(name))];
  }
}

function allNames(folder: string): string[] {
  const logs = join(folder, 'logs');
  return existsSync(logs)
    ? readdirSync(logs)
        .filter((name) => name.endsWith('.log'))
        .map((name) => name.slice(0, -'.log'.length))
        .sort()
    : [];
}

function sourcesOf(folder: string, about: string | null): Source[] {
  const isWanted = (name: string): boolean =>
    about === null ? !isServer(name) : name === about || (name.startsWith(`${about}-`) && /-\d+$/.test(name));
  return allNames(folder)
    .filter(isWanted)
    .map((name) => ({ name, file: join(folder, 'logs', `${name}.log`), end: 0 }));
}

function read(name: string, lines: readonly string[]): Line[] {
  let time = '';
  return lines.map((text) => {
    // Lines without a time (stack traces) stay after the line before.
    time = /"time":"([^"]+)"/.exec(text)?.[1] ?? time;
    return { name, text, time };
  });
}

function inOrder(lines: readonly Line[]): Line[] {
  return [...lines].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

function printed({ name, text }: Line, paint: Paint): string {
  return `${paint.cyan(name.padEnd(14))} ${textOf(text)}`;
}

function textOf(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { message, ...fields } = JSON.parse(text) as Record<string, unknown>;
    return readableLine(JSON.stringify({ ...fields, ...(fields['msg'] === undefined && { msg: message }) })).trimEnd();
  } catch {
    return text;
  }
}
