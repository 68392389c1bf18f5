import { Marked, type Token, type Tokens } from 'marked';

import { escaped, html, Html } from '../../markup/index.js';
import { machineList } from './machine-list.js';

/** A heading with what stands beneath it: where a search may lead. */
export interface Section {
  /** Of its heading; '' before the first one. */
  readonly id: string;
  readonly title: string;
  readonly depth: number;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  /** Without the page's own heading. */
  readonly body: Html;
  readonly sections: readonly Section[];
}

/** Where a link of a page leads on the site: null where a partner cannot go. */
export type Resolve = (href: string) => { readonly href: string; readonly title?: string } | null;

/** A heading's anchor, as GitHub makes it: links between pages work there and here. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Markdown as a page of the site. */
export function renderGuide(markdown: string, resolve: Resolve): RenderedPage {
  const marked = markdownFor(resolve);
  const sections: Section[] = [];
  let title = '';
  let body = '';
  for (const token of marked.lexer(markdown)) {
    if (isHeading(token) && token.depth === 1) {
      title = plainText(marked.parser([token]));
      sections.push({ id: '', title, depth: 1, text: '' });
      continue;
    }
    const markup = marked.parser([token]);
    body += markup;
    if (isHeading(token)) {
      const own = plainText(markup);
      sections.push({ id: anchorOf(own), title: own, depth: token.depth, text: '' });
    } else {
      const last = sections.at(-1);
      if (last !== undefined)
        sections[sections.length - 1] = { ...last, text: `${last.text} ${plainText(markup)}`.trim() };
    }
  }
  return { title, body: new Html(body), sections };
}

/** A text of the published document: paragraphs and code, no headings of its own. Most texts stand there many times. */
export function renderText(markdown: string): Html {
  let rendered = RENDERED.get(markdown);
  if (rendered === undefined) {
    rendered = new Html(TEXTS.parse(markdown, { async: false }));
    RENDERED.set(markdown, rendered);
  }
  return rendered;
}

const RENDERED = new Map<string, Html>();

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** What a reader sees of markup, in one line. */
export function plainText(markup: string): string {
  return markup
    .replace(/<\/?(?:a|code|em|strong|del)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

function markdownFor(resolve: Resolve): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const inside = this.parser.parseInline(tokens);
        const level = `h${String(depth)}`;
        const id = anchorOf(plainText(inside));
        return depth === 1
          ? `<h1>${inside}</h1>\n`
          : `<${level} id="${escaped(id)}"><a class="anchor" href="#${escaped(id)}">${inside}</a></${level}>\n`;
      },
      link({ href, tokens }) {
        const to = resolve(href);
        const inside = this.parser.parseInline(tokens);
        if (to === null) return inside;
        // A page that is named by its file has a name on the site.
        const text = inside.endsWith('.md') && to.title !== undefined ? escaped(to.title) : inside;
        return `<a href="${escaped(to.href)}">${text}</a>`;
      },
      // Pictures lie beside the pages of the repository, and are not served.
      image: () => '',
      html: () => '',
      code: ({ text, lang = '' }) => codeBlock(text, lang),
      table(token) {
        const head = token.header.map((cell) => this.tablecell(cell)).join('');
        const rows = token.rows.map((row) => `<tr>${row.map((cell) => this.tablecell(cell)).join('')}</tr>`);
        return scrolled(`<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody>`).text;
      },
    },
  });
}

const TEXTS = markdownFor(() => null);

/** Wider than a phone, and reached by the keyboard. */
export function scrolled(rows: string): Html {
  return html`<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>${new Html(rows)}</table></div>
`;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  json: 'JSON',
};

export function codeBlock(text: string, language = ''): string {
  if (language === 'mermaid') return machineList(text).text;
  const name = LANGUAGES[language] ?? 'Shell';
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre></div>
`.text;
}
