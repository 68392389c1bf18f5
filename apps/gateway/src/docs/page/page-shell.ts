import { html, NOTHING, type Html } from '../../markup/index.js';
import { GUIDE_GROUPS, guidePath, type Section } from '../guides/index.js';

/** What every page of the site stands in. */
export interface Surroundings {
  /** The address of one of the site's files, with its version. */
  readonly fileAt: (name: string) => string;
  readonly sandbox: boolean;
  /** Groups of operations, in the order of the document. */
  readonly operations: readonly Link[];
}

export interface Link {
  readonly title: string;
  readonly path: string;
}

export interface ShownPage {
  readonly title: string;
  readonly path: string;
  /** Beneath the heading. */
  readonly body: Html;
  readonly sections: readonly Section[];
  /** Above the heading: what it belongs to. */
  readonly group: string;
  readonly before?: Link | undefined;
  readonly after?: Link | undefined;
}

/** A page with its navigation. No script and no style in it, so that the policy can be strict. */
export function sitePage(page: ShownPage, surroundings: Surroundings): string {
  const { title, body, group } = page;
  const main = html`<main id="main" tabindex="-1">
<article>
<p class="group">${group}</p>
<h1>${title}</h1>
${body}</article>
${nextPages(page)}
</main>
${onThisPage(page)}`;
  return wholePage({ title, path: page.path, main, wide: false }, surroundings);
}

export function wholePage(
  page: {
    readonly title: string;
    readonly path: string;
    readonly main: Html;
    /** Without a navigation beside it: the menu has it. */
    readonly wide: boolean;
    readonly head?: Html;
  },
  surroundings: Surroundings,
): string {
  const { fileAt, sandbox } = surroundings;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${page.title} · Vuka docs</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${fileAt('icon.svg')}">
${page.head ?? NOTHING}<link rel="stylesheet" href="${fileAt('docs.css')}">
<script src="${fileAt('docs.js')}" defer></script>
</head>
<body${page.wide ? WIDE : NOTHING}>
<a class="skip" href="#main">Skip to the text</a>
<header class="bar">
<button class="menu" type="button" popovertarget="side" aria-label="Menu">☰</button>
<a class="name" href="/docs"><img src="${fileAt('icon.svg')}" alt="" width="28" height="28">Vuka docs</a>
<span class="env ${sandbox ? 'env-sandbox' : 'env-live'}">${sandbox ? 'sandbox' : 'live'}</span>
<div class="search" role="search" data-index="${fileAt('search.json')}" hidden>
<input id="q" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<kbd aria-hidden="true">/</kbd>
<div id="found" role="listbox" aria-label="Found" hidden></div>
<p id="said" class="unseen" role="status"></p>
</div>
<a class="raw" href="/openapi.json">openapi.json</a>
</header>
<div class="shell">
${navigation(page.path, surroundings)}
${page.main}
</div>
</body>
</html>
`.text;
}

const WIDE = html` class="wide"`;

/** Beside the text on a desktop. On a phone the menu button shows it, also without a script. */
function navigation(current: string, { operations }: Surroundings): Html {
  const groups = [
    ...GUIDE_GROUPS.map(({ title, guides }) => ({
      title,
      links: guides.map((guide) => ({ title: guide.title, path: guidePath(guide) })),
    })),
    { title: 'Operations', links: [...operations, { title: 'Try them', path: '/docs/try' }] },
  ];
  return html`<nav id="side" class="side" popover aria-label="Documentation">
${groups.map(
  ({ title, links }) => html`<h2>${title}</h2>
<ul>
${links.map(
  (link) => html`<li><a href="${link.path}"${link.path === current ? CURRENT : NOTHING}>${link.title}</a></li>
`,
)}</ul>
`,
)}</nav>`;
}

const CURRENT = html` aria-current="page"`;

function onThisPage({ sections }: ShownPage): Html {
  const shown = sections.filter(({ id, depth }) => id !== '' && depth <= 3);
  if (shown.length < 2) return NOTHING;
  return html`<nav class="toc" aria-label="On this page">
<h2>On this page</h2>
<ul>
${shown.map(
  ({ id, title, depth }) => html`<li class="depth-${String(depth)}"><a href="#${id}">${title}</a></li>
`,
)}</ul>
</nav>`;
}

function nextPages({ before, after }: ShownPage): Html {
  if (before === undefined && after === undefined) return NOTHING;
  return html`<nav class="next" aria-label="Before and after">
${before === undefined ? NOTHING : html`<a rel="prev" href="${before.path}">← ${before.title}</a>`}
${after === undefined ? NOTHING : html`<a class="after" rel="next" href="${after.path}">${after.title} →</a>`}
</nav>`;
}
