import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A head with several names gives a cell for each. */
export type GoldenCell = readonly [row: string, column: string, text: string];

const split = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((text) => text.trim());
const names = (head: string): string[] => head.split(', ');

export function readGolden(file: string, folder = join(import.meta.dirname, 'golden')): GoldenCell[][] {
  const text = readFileSync(join(folder, file), 'utf8');
  const tables = text.split('\n\n').filter((block) => block.startsWith('|'));
  return tables.map((block) => {
    const [head = '', , ...rows] = block.trim().split('\n');
    const columns = split(head).slice(1);
    return rows.flatMap((row) => {
      const [states = '', ...cells] = split(row);
      if (cells.length !== columns.length) throw new Error(`${file}: ${states} has ${String(cells.length)} cells`);
      return names(states).flatMap((state) =>
        cells.flatMap((cell, index) => names(columns[index] ?? '').map((column): GoldenCell => [state, column, cell])),
      );
    });
  });
}
