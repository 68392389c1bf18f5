import type { RenderedGuide } from './guides/index.js';
import type { OperationPage } from './operation-pages/index.js';

/** One place that a search may find. Short names, as a browser loads hundreds of them. */
export interface SearchEntry {
  /** Its address. */
  readonly u: string;
  readonly t: string;
  /** The page it is on. */
  readonly p: string;
  readonly x: string;
  readonly k: 'guide' | 'operation';
}

/** Every section of every guide, and every operation. */
export function searchIndex(guides: readonly RenderedGuide[], operations: readonly OperationPage[]): SearchEntry[] {
  return [
    ...guides.flatMap(({ path, title, sections }) =>
      sections.map(({ id, title: heading, text }) => ({
        u: at(path, id),
        t: heading,
        p: title,
        x: text,
        k: 'guide' as const,
      })),
    ),
    ...operations.flatMap(({ path, title, sections }) =>
      sections.map(({ id, title: heading, text }) => ({
        u: at(path, id),
        t: heading,
        p: title,
        x: text,
        k: 'operation' as const,
      })),
    ),
  ];
}

const at = (path: string, id: string): string => (id === '' ? path : `${path}#${id}`);
