// docs/generated/asvs.md, from asvs.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const { levels: LEVELS, rows: ROWS } = JSON.parse(readFileSync(join(import.meta.dirname, 'asvs.json'), 'utf8'));

const CHAPTERS = {
  1: 'Encoding',
  2: 'Validation and business logic',
  3: 'Web frontend',
  4: 'API',
  5: 'Files',
  6: 'Authentication',
  7: 'Sessions',
  8: 'Authorization',
  9: 'Self-contained tokens',
  10: 'OAuth',
  11: 'Cryptography',
  12: 'Communication',
  13: 'Configuration',
  14: 'Data protection',
  15: 'Coding and architecture',
  16: 'Logging and errors',
  17: 'WebRTC',
};
const MOST_LEVEL = 2;

/** Requirements of levels 1 and 2 with their row; `row` is missing where nobody has said how Vuka stands to it. */
export function requirements() {
  return Object.entries(LEVELS)
    .flatMap(([section, levels]) =>
      [...levels].map((level, place) => ({ id: `${section}.${String(place + 1)}`, level: Number(level) })),
    )
    .filter(({ level }) => level <= MOST_LEVEL)
    .map(({ id, level }) => ({ id, level, row: rowOf(id) }))
    .sort((a, b) => order(a.id) - order(b.id));
}

function rowOf(id) {
  const [chapter, section] = id.split('.');
  return ROWS[id] ?? ROWS[`${chapter}.${section}`] ?? ROWS[chapter];
}

const order = (id) => id.split('.').reduce((sum, part) => sum * 100 + Number(part), 0);

export const testOf = (text) => {
  const at = text.indexOf(': ');
  return { file: text.slice(0, at), title: text.slice(at + 2) };
};

const STANDS = [
  ['none', 'not here'],
  ['deploy', 'by the operator'],
  ['open', '**open**'],
];

function standOf(row) {
  const [, stand = 'met'] = STANDS.find(([kind]) => kind in row) ?? [];
  return stand;
}

function lineOf({ id, level, row }) {
  const shown = [
    ...(row.tests ?? []).map((text) => {
      const { file, title } = testOf(text);
      return `[${file.split('/').at(-1)}](../../${file})${title === '' ? '' : `: ${title}`}`;
    }),
    ...(row.page === undefined ? [] : [`[${row.page}](../../${row.page})`]),
  ];
  const what = row.what ?? row.none ?? row.deploy ?? row.open;
  return `| ${id} | ${String(level)} | ${standOf(row)} | ${what} | ${shown.join('; ')} |`;
}

export function asvsPage() {
  const all = requirements();
  const count = (stand) => all.filter(({ row }) => standOf(row) === stand).length;
  const chapters = Object.entries(CHAPTERS).map(([chapter, name]) => {
    const rows = all.filter(({ id }) => id.startsWith(`${chapter}.`));
    return `## ${chapter}. ${name}\n\n| requirement | level | stands | how | shown by |\n|---|---|---|---|---|\n${rows.map(lineOf).join('\n')}\n`;
  });
  return `<!-- Written by npm run generate from tools/generate/asvs.json. -->

# OWASP ASVS 5.0.0, levels 1 and 2

How Vuka stands to each requirement, and which test or page shows it. The text of a requirement is in the [standard](https://owasp.org/www-project-application-security-verification-standard/). This is our own reading: nobody else has assessed it.

Of ${String(all.length)} requirements ${String(count('met'))} are met, ${String(count('by the operator'))} are met by the operator’s servers, ${String(count('not here'))} are about what Vuka does not have, and ${String(count('**open**'))} are open.

${chapters.join('\n')}`;
}
