import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { listFiles } from '../command/list-files.mjs';

const MOST_BYTES = 15 * 1024;
const MOST_README_LINES = 250;

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const files = (await listFiles('docs')).filter((path) => path.endsWith('.md'));
const byHand = ['README.md', ...files];
const generated = readdirSync(join(ROOT, 'docs/generated'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/generated/${name}`);
const pages = [...byHand, 'CHANGELOG.md', ...generated];
const sources = [...(await listFiles('apps')), ...(await listFiles('libs')), ...(await listFiles('tools'))];

function anchorsOf(text) {
  const headings = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(headings);
}

function linksOf(path) {
  const text = read(path).replace(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file, anchor] = link.split('#', 2);
    return [{ link, file: file === '' ? path : join(dirname(path), file), anchor }];
  });
}

describe('the documentation', () => {
  it.each(files)('%s is a page, not a book', (path) => {
    expect(Buffer.byteLength(read(path))).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('has a README of at most 250 lines', () => {
    expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(MOST_README_LINES);
  });

  it.each(pages)('%s leads to files and headings that are there', (path) => {
    const astray = linksOf(path).filter(({ file, anchor }) => {
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(read(file)).has(anchor);
    });
    expect(astray.map(({ link }) => link)).toEqual([]);
  });

  it.each(byHand)('%s names files that are there', (path) => {
    const named = [...read(path).matchAll(/`([\w./-]+\.(?:ts|mjs|sql|py|spec))`/g)].map(([, name]) => name);
    const gone = named.filter((name) =>
      /^(apps|libs|tools|deploy)\//.test(name)
        ? !sources.includes(name)
        : !sources.some(
            (source) => basename(source) === basename(name) || basename(source).startsWith(`${basename(name)}.`),
          ),
    );
    expect(gone).toEqual([]);
  });

  it('is found from its index: every page is linked from the README of its folder, or from docs/README.md', () => {
    const index = ['README.md', ...files.filter((path) => path.endsWith('/README.md'))];
    const linked = new Set(index.flatMap((path) => linksOf(path).map(({ file }) => file)));
    expect(files.filter((path) => !linked.has(path) && !linked.has(dirname(path)))).toEqual([]);
  });
});
