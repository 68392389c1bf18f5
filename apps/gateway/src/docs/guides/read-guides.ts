import { readFileSync } from 'node:fs';
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

/** Every page for partners, the first page first. Read once, at boot. */
export function readGuides(folder: URL = FOLDER): RenderedGuide[] {
  return [HOME, ...GUIDES].map((guide) => ({
    guide,
    path: guidePath(guide),
    ...renderGuide(readFileSync(new URL(guide.file, folder), 'utf8'), resolverOf(guide)),
  }));
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
