import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';

import { GUIDES, guidePath, HOME, type Guide } from './guide-list.js';
import { renderGuide, type RenderedPage, type Resolve } from './render-guide.js';

/** The same from the sources and from the build. An image has these files in the same place (deploy/Dockerfile). */
const FOLDER = new URL('../../../../../docs/', import.meta.url);

export interface RenderedGuide extends RenderedPage {
  readonly guide: Guide;
  readonly path: string;
}

const BY_FILE = new Map([HOME, ...GUIDES].map((guide) => [guide.file, guide]));

/** Every page for partners, the first page first. Requests go on between one page and the next: reading a file waits. */
export async function readGuides(folder: URL = FOLDER): Promise<RenderedGuide[]> {
  const rendered: RenderedGuide[] = [];
  for (const guide of [HOME, ...GUIDES]) {
    const text = await readFile(new URL(guide.file, folder), 'utf8');
    rendered.push({ guide, path: guidePath(guide), ...renderGuide(text, resolverOf(guide)) });
  }
  return rendered;
}

/** Links between pages lead to pages of the site. Files that partners cannot open are no links here. */
function resolverOf({ file }: Guide): Resolve {
  return (href) => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return { href };
    const [path = '', anchor] = href.split('#', 2);
    const target = BY_FILE.get(posix.join(posix.dirname(file), path));
    if (target === undefined) return null;
    return { href: guidePath(target) + (anchor === undefined ? '' : `#${anchor}`), title: target.title };
  };
}
