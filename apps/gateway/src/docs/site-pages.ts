import { html } from '../markup/index.js';
import { GUIDE_GROUPS, type RenderedGuide } from './guides/index.js';
import type { OperationPage } from './operation-pages/index.js';
import { homeBody } from './page/home-page.js';
import { sitePage, type Surroundings } from './page/page-shell.js';

/** The text of each page by its path: the first page, the guides, and a page for each group of operations. */
export function sitePages(
  [home, ...guides]: readonly RenderedGuide[],
  operations: readonly OperationPage[],
  surroundings: Surroundings,
): Map<string, string> {
  const pages = new Map<string, string>();
  if (home !== undefined)
    pages.set(home.path, sitePage({ ...home, group: 'Vuka', body: homeBody(home, operations) }, surroundings));
  guides.forEach((guide, place) => {
    const group = GUIDE_GROUPS.find(({ guides: some }) => some.includes(guide.guide))?.title ?? '';
    const [before, after] = [guides[place - 1], guides[place + 1]].map(
      (other) => other && { title: other.guide.title, path: other.path },
    );
    pages.set(guide.path, sitePage({ ...guide, group, before, after }, surroundings));
  });
  for (const { title, path, body, sections } of operations) {
    const named = sections.map((section) => ({ ...section, title: section.title.replace(/^\w+ /, '') }));
    pages.set(path, sitePage({ title, path, body: html`${body}`, sections: named, group: 'Operations' }, surroundings));
  }
  return pages;
}
