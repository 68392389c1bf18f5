import { stripVTControlCharacters } from 'node:util';

import type { Paint } from './paint.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Longer cells end with an ellipsis. */
  readonly atMost?: number;
}

const GAP = '  ';

/** Omits empty columns. */
export function textTable(columns: readonly Column[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const cells = rows.map((row) => columns.map((column, place) => clip(row[place] ?? '', column.atMost)));
  const shown = columns.map((_, place) => cells.some((row) => row[place] !== ''));
  const widths = columns.map(({ title }, place) =>
    Math.max(title.length, ...cells.map((row) => widthOf(row[place] ?? ''))),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, place) => pad(text, widths[place] ?? 0, columns[place]?.align ?? 'left'))
      .filter((_, place) => shown[place])
      .join(GAP)
      .trimEnd();
  return [paint.dim(line(columns.map(({ title }) => title))), ...cells.map(line)];
}

/** Untrusted text: cursor and line characters become dots. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '·');
}

function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? space + text : text + space;
}

function clip(text: string, atMost: number | undefined): string {
  return atMost === undefined || widthOf(text) <= atMost ? text : `${[...text].slice(0, atMost - 1).join('')}…`;
}
