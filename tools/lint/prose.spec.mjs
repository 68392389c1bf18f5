import { describe, expect, it } from '@jest/globals';

import { handWrittenPages, proseFindings } from './prose.mjs';
import { sentencesOf, wordsOf } from './prose-rules.mjs';

const words = (count) => `${Array.from({ length: count }, () => 'word').join(' ')}.`;
const found = async (text) =>
  (await proseFindings('page.md', text)).map(({ line, isError, message }) => ({ line, isError, message }));

describe('the check of prose', () => {
  it('lets 25 words pass, warns of 26, and refuses 36', async () => {
    expect(await found(words(25))).toEqual([]);
    expect(await found(words(26))).toEqual([expect.objectContaining({ line: 1, isError: false })]);
    expect(await found(words(35))).toEqual([expect.objectContaining({ isError: false })]);
    expect(await found(words(36))).toEqual([expect.objectContaining({ isError: true })]);
  });

  it('judges items of lists, and neither tables, code nor headings', async () => {
    expect(await found(`- ${words(36)}`)).toHaveLength(1);
    expect(
      await found(`# ${words(40)}\n\n| a | b |\n|---|---|\n| ${words(40)} | x |\n\n\`\`\`\n${words(40)}\n\`\`\`\n`),
    ).toEqual([]);
  });

  it('counts code between backticks as one word, and of a link its text', async () => {
    expect(await found(`${words(24).slice(0, -1)} \`npm run vuka -- stuck and more of it\`.`)).toEqual([]);
    expect(wordsOf('see the page')).toBe(3);
  });

  it('ends a sentence where a reader does', () => {
    expect(sentencesOf('It costs 0.01 USD. It is in `a.b`, e.g. here! Is it?')).toEqual([
      'It costs 0.01 USD.',
      'It is in `a.b`, e.g here!',
      'Is it?',
    ]);
  });

  it('refuses a word that the field has another word for, not in code', async () => {
    expect(await found('Ask the desk.')).toEqual([expect.objectContaining({ isError: true })]);
    expect(await found('Run `docker compose run --rm desk stuck`.')).toEqual([]);
  });

  it('reads the README and every hand-written page', async () => {
    const pages = await handWrittenPages();
    expect(pages).toContain('README.md');
    expect(pages).toContain('docs/partners/where-is-my-money.md');
    expect(pages.filter((path) => path.startsWith('docs/generated/'))).toEqual([]);
  });
});
