// `node tools/lint/prose.mjs [file …]`: checks the docs against docs/engineers/prose.md. Exits with 1 for errors;
// warnings pass.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';

import { ROOT } from '../command/run.mjs';
import { sentenceLength, terminology } from './prose-rules.mjs';
import { listFiles } from '../command/list-files.mjs';

/** Words per sentence: more than `usual` warns, more than `most` is an error. */
const SENTENCE = { usual: 25, most: 35 };
const WARNING = 'long-sentence';

export async function handWrittenPages() {
  const files = await listFiles('docs');
  return ['README.md', ...files.filter((path) => /^docs\/.*\.md$/.test(path) && !path.startsWith('docs/generated/'))];
}

export async function proseFindings(path, text) {
  const { messages } = await new TextlintKernel().lintText(text, {
    filePath: path,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default ?? markdown }],
    rules: [
      { ruleId: WARNING, rule: sentenceLength, options: { above: SENTENCE.usual, upTo: SENTENCE.most } },
      { ruleId: 'too-long-sentence', rule: sentenceLength, options: { above: SENTENCE.most } },
      { ruleId: 'terminology', rule: terminology },
    ],
  });
  return messages.map(({ line, message, ruleId }) => ({ path, line, isError: ruleId !== WARNING, message }));
}

async function main(asked) {
  const pages = asked.length > 0 ? asked : await handWrittenPages();
  const findings = [];
  for (const path of pages) findings.push(...(await proseFindings(path, await readFile(join(ROOT, path), 'utf8'))));
  for (const { path, line, isError, message } of findings)
    console.log(`${path}:${line} ${isError ? 'error' : 'warning'}: ${message}`);
  const errors = findings.filter(({ isError }) => isError).length;
  console.log(`${pages.length} pages: ${errors} errors, ${findings.length - errors} warnings`);
  process.exitCode = errors > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
