import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../../docs/operators/platform-day.md', import.meta.url));

export type Said =
  | { readonly kind: 'keep'; readonly path: string; readonly name: string }
  | { readonly kind: 'is'; readonly path: string; readonly value: string }
  | { readonly kind: 'has'; readonly path: string; readonly many: number }
  | { readonly kind: 'refused'; readonly code: string };

export type Step =
  | { readonly kind: 'command'; readonly line: string; readonly said: Said[] }
  | { readonly kind: 'outside'; readonly what: string };

const OUTSIDE = /^<!-- outside: (.+) -->$/;
const SAID: readonly (readonly [RegExp, (found: readonly string[]) => Said])[] = [
  [/^- keep `([^`]+)` as `\$(\w+)`/, ([, path = '', name = '']) => ({ kind: 'keep', path, name })],
  [/^- `([^`]+)` is `([^`]*)`/, ([, path = '', value = '']) => ({ kind: 'is', path, value })],
  [/^- `([^`]+)` is empty/, ([, path = '']) => ({ kind: 'has', path, many: 0 })],
  [/^- `([^`]+)` has (\d+)/, ([, path = '', many = '']) => ({ kind: 'has', path, many: Number(many) })],
  [/^- refused: `([^`]+)`/, ([, code = '']) => ({ kind: 'refused', code })],
];

/**
 * Each `sh` block of docs/operators/platform-day.md is one command; every list item under it is checked. Throws on an
 * item that cannot be checked.
 */
export function readDay(text = readFileSync(PAGE, 'utf8')): readonly Step[] {
  const steps: Step[] = [];
  let block: string[] | null = null;
  for (const line of text.split('\n')) {
    const outside = OUTSIDE.exec(line)?.[1];
    if (outside !== undefined) steps.push({ kind: 'outside', what: outside });
    else if (line === '```sh') block = [];
    else if (line === '```' && block !== null) {
      steps.push({ kind: 'command', line: block.join('\n').replaceAll(/\\\n\s*/g, ''), said: [] });
      block = null;
    } else if (block !== null) block.push(line);
    else if (line.startsWith('- ')) saidOf(steps).push(read(line));
  }
  return steps;
}

function saidOf(steps: readonly Step[]): Said[] {
  const last = steps.at(-1);
  if (last?.kind !== 'command') throw new Error('a list under no command');
  return last.said;
}

function read(line: string): Said {
  for (const [pattern, made] of SAID) {
    const found = pattern.exec(line);
    if (found !== null) return made(found);
  }
  throw new Error(`nobody can hold to ${line}`);
}

/** Splits a command as a shell does and fills in `$NAME`. Throws on an unknown name. */
export function wordsOf(line: string, kept: ReadonlyMap<string, string>): readonly string[] {
  const words: string[] = [];
  for (const [whole] of line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)) {
    const parts = whole.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^"']+/g) ?? [];
    words.push(
      parts
        .map((part) =>
          part.startsWith("'")
            ? part.slice(1, -1)
            : filled(part.startsWith('"') ? part.slice(1, -1).replaceAll(/\\(.)/g, '$1') : part, kept),
        )
        .join(''),
    );
  }
  return words;
}

export function filled(text: string, kept: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const value = kept.get(name);
    if (value === undefined) throw new Error(`nobody kept $${name}`);
    return value;
  });
}

/** `a.b[0].c` of an answer; `a[x=1]` is the first item of `a` with `x` 1. undefined if missing. */
export function valueAt(answer: unknown, path: string): unknown {
  let found: unknown = answer;
  for (const [, name, at, by, value] of path.matchAll(/([^.[\]]+)|\[(\d+)\]|\[([^=\]]+)=([^\]]+)\]/g)) {
    if (found === null || typeof found !== 'object') return undefined;
    if (by !== undefined)
      found = Array.isArray(found)
        ? found.find((one: Readonly<Record<string, unknown>>) => String(valueAt(one, by)) === value)
        : undefined;
    else found = (found as Readonly<Record<string, unknown>>)[name ?? at ?? ''];
  }
  return found;
}
