import { readdirSync, readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES } from '@vuka/domain';

import type { PublishedFiles } from '../http/index.js';
import { OPERATION_TABLE } from '../public-operations.js';
import { DocsSite } from './docs-site.js';
import { GUIDES, guidePath, HOME, plainText } from './guides/index.js';
import type { SearchEntry } from './search-index.js';

const ROOT = new URL('../../../../', import.meta.url);
/** The largest page is that of the payouts: an operation for each currency. */
const MOST_BYTES = { guide: 40_000, operations: 170_000 };

let files: PublishedFiles;
let live: PublishedFiles;
let pages: readonly (readonly [path: string, html: string])[];

const textOf = (path: string, of = files): string => of.get(path)?.bytes.toString() ?? '';
const isPage = ({ type }: { readonly type: string }): boolean => type.startsWith('text/html');
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

beforeAll(async () => {
  [files, live] = (await Promise.all(
    [true, false].map((sandbox) => new DocsSite(OPERATION_TABLE, CURRENCIES, sandbox).files()),
  )) as [PublishedFiles, PublishedFiles];
  pages = [...files].filter(([, file]) => isPage(file)).map(([path, { bytes }]) => [path, bytes.toString()]);
});

describe('the site for partners', () => {
  it('has every page of docs/partners, each in the navigation of all others', () => {
    const written = readdirSync(new URL('docs/partners', ROOT)).map((name) => `partners/${name}`);
    const shown = [HOME, ...GUIDES];
    const headings = pages.map(([, html]) => plainText(/<h1[^]*<\/h1>/.exec(html)?.[0] ?? ''));
    expect(shown.map(({ file }) => file)).toEqual(expect.arrayContaining(written));
    for (const guide of shown) {
      const [, title = ''] = /^# (.*)$/m.exec(readFileSync(new URL(`docs/${guide.file}`, ROOT), 'utf8')) ?? [];
      expect(headings).toContain(title.replaceAll('`', ''));
      for (const [, html] of pages) expect(html).toContain(`href="${guidePath(guide)}"`);
    }
  });

  it('leads to pages and headings that are there, and names no file of the repository', () => {
    const astray = pages.flatMap(([path, html]) =>
      [...html.matchAll(/<a [^>]*href="([^"]*)"([^<]*)/g)].flatMap(([, href = '', text = '']) => {
        if (text.endsWith('.md')) return [`${path}: ${text}`];
        // Operations that are tried have their anchors from swagger-ui; a link to others is followed by those who ask.
        if (/^https:|^\/docs\/try#\//.test(href)) return [];
        const [to = '', anchor] = href.split('#', 2);
        const target = files.get(to === '' ? path : to);
        const isThere =
          target !== undefined && (anchor === undefined || idsOf(target.bytes.toString()).includes(anchor));
        return isThere ? [] : [`${path}: ${href}`];
      }),
    );
    expect(astray).toEqual([]);
  });

  it('tries operations that the document has', () => {
    const known = Object.values(documentOf(files).paths).flatMap((methods) =>
      Object.values(methods).map(({ tags: [tag = ''], operationId }) => `${encodeURIComponent(tag)}/${operationId}`),
    );
    const tried = pages.flatMap(([, html]) => [...html.matchAll(/href="\/docs\/try#\/([^"]+)"/g)].map(([, at]) => at));
    expect(tried.sort()).toEqual(known.sort());
  });

  it('has nothing that the policy refuses, and nothing of somebody else’s', () => {
    for (const [path, html] of pages) {
      expect([path, html]).not.toEqual([
        path,
        expect.stringMatching(/<script(?![^>]* src=)|<style| style=|<form|<iframe/),
      ]);
      expect([path, html]).not.toEqual([path, expect.stringMatching(/<[^>]* on\w+=/)]);
      const loaded = [...html.matchAll(/ (?:src|data-index)="([^"]+)"|<link [^>]*href="([^"]+)"/g)];
      for (const [, source, link] of loaded) expect(source ?? link).toMatch(/^\/docs\/[\w.-]+\?v=[\w-]{20}$/);
    }
  });

  it('has one heading of the first level, one main part, and each name once', () => {
    for (const [path, html] of pages) {
      const counts = ['<h1', '<main', 'lang="en"', 'aria-current="page"'].map((part) => html.split(part).length - 1);
      expect([path, counts]).toEqual([path, [1, 1, 1, path === '/docs' ? 0 : 1]]);
      const ids = idsOf(html);
      expect([path, ids.filter((id, place) => ids.indexOf(id) !== place)]).toEqual([path, []]);
    }
  });

  it('is small enough for a phone', () => {
    const large = pages.filter(
      ([path, html]) =>
        Buffer.byteLength(html) > MOST_BYTES[path.startsWith('/docs/operations/') ? 'operations' : 'guide'],
    );
    expect(large.map(([path, html]) => [path, html.length])).toEqual([]);
    expect(textOf('/docs/search.json').length).toBeLessThan(180_000);
  });
});

describe('a page of operations', () => {
  it('tells of each operation of the document, with its fields, an example and its errors', () => {
    for (const [path, methods] of Object.entries(documentOf(files).paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const html = articleOf(operation.operationId);
        expect(html).toContain(`>${method.toUpperCase()}</span> <code>${path}</code>`);
        expect(html).toContain(`curl -s -X ${method.toUpperCase()}`);
        const fields = JSON.stringify(operation.requestBody ?? {}).match(/(?<="properties":\{")\w+/g) ?? [];
        for (const field of fields) expect(html).toContain(`<code>${field}</code>`);
        for (const status of Object.keys(operation.responses).filter((one) => one.startsWith('4')))
          expect(html).toContain(`<li>${status} <code>`);
      }
    }
  });

  it('has no more in live than live has', () => {
    expect(live.has('/docs/operations/sandbox')).toBe(false);
    const told = [...live].filter(([path]) => path === '/docs' || /^\/docs\/(operations\/|try$)/.test(path));
    expect(told.length).toBeGreaterThan(8);
    for (const [path, { bytes }] of told) expect([path, bytes.includes('/sandbox/')]).toEqual([path, false]);
  });

  /** From its heading to the end of its section. */
  function articleOf(id: string): string {
    const [, html = ''] = pages.find(([, text]) => text.includes(`aria-labelledby="${id}"`)) ?? [];
    const start = html.indexOf(`aria-labelledby="${id}"`);
    return html.slice(start, html.indexOf('</section>', start));
  }
});

describe('the search', () => {
  it('finds every guide, every heading of them and every operation, at an address that is there', () => {
    const entries = JSON.parse(textOf('/docs/search.json')) as SearchEntry[];
    for (const { u } of entries) {
      const [path = '', anchor] = u.split('#', 2);
      expect([u, anchor === undefined || idsOf(textOf(path)).includes(anchor), files.has(path)]).toEqual([
        u,
        true,
        true,
      ]);
    }
    const found = new Set(entries.map(({ u }) => u));
    for (const guide of [HOME, ...GUIDES]) expect(found).toContain(guidePath(guide));
    const operations = Object.values(documentOf(files).paths).flatMap((methods) => Object.values(methods));
    expect(entries.filter(({ k }) => k === 'operation')).toHaveLength(operations.length);
    const titles = entries.map(({ t }) => t);
    for (const title of ['An open outcome', 'TypeScript', 'Go', 'POST /kes/disburse']) expect(titles).toContain(title);
  });
});

describe('an image', () => {
  it('has the files that the site is made from', () => {
    const ignored = readFileSync(new URL('.dockerignore', ROOT), 'utf8').split('\n');
    expect(ignored).toContain('docs/*');
    for (const { file } of [HOME, ...GUIDES])
      expect(ignored).toContain(file.startsWith('partners/') ? '!docs/partners' : `!docs/${file}`);
    const stages = readFileSync(new URL('deploy/Dockerfile', ROOT), 'utf8').split(/^FROM /m);
    const withSite = stages
      .filter((text) => text.includes('COPY docs/ docs/'))
      .map((text) => / AS (\S+)/.exec(text)?.[1]);
    expect(withSite).toEqual(['gateway', 'standalone']);
  });
});

interface Documented {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

function documentOf(of: PublishedFiles): {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
} {
  return JSON.parse(textOf('/openapi.json', of)) as ReturnType<typeof documentOf>;
}
