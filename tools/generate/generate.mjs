// Writes docs/generated, the README's tables and the tour's paths. Builds first, so that the pages match the code.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { asvsPage } from './asvs.mjs';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/generated');

execFileSync(
  process.execPath,
  [
    join(root, 'node_modules/typescript-7/bin/tsc'),
    '-b',
    join(root, 'libs/domain'),
    join(root, 'libs/contracts'),
    join(root, 'libs/messaging'),
    join(root, 'libs/payouts'),
    join(root, 'libs/testing'),
  ],
  {
    stdio: 'inherit',
  },
);
const { generatedDocuments } = await import('../../libs/domain/dist/generated-docs/documents.js');
const { withMatrix } = await import('../../libs/domain/dist/generated-docs/matrix.js');
const { operationsPage } = await import('../../libs/contracts/dist/index.js');
const { providersPage, withCoverage } = await import('../../libs/payouts/dist/ways/providers-page.js');
const { coveragePage } = await import('../../libs/testing/dist/coverage-page.js');
const { aclScript } = await import('../../libs/messaging/dist/kafka/kafka-acl-rules.js');
const { withPaths } = await import('./tour.mjs');

mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries({
  ...generatedDocuments(),
  'asvs.md': asvsPage(),
  'coverage.md': coveragePage(),
  'internal-operations.md': operationsPage(),
  'providers.md': providersPage(),
})) {
  write(`docs/generated/${name}`, text);
}
write('deploy/kafka/acls.sh', aclScript());
write('README.md', withCoverage(withMatrix(read('README.md'))));
write('docs/engineers/tour.md', await withPaths(read('docs/engineers/tour.md')));

function read(path) {
  return readFileSync(join(root, path), 'utf8');
}

function write(path, text) {
  writeFileSync(join(root, path), text);
  console.log(path);
}
