// Writes docs/generated from the data in libs/domain. Builds that library first, so the pages are of the code as it is.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs/generated');

execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', join(root, 'libs/domain')], {
  stdio: 'inherit',
});
const { generatedDocuments } = await import('../libs/domain/dist/generated-docs/documents.js');

mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(generatedDocuments())) {
  writeFileSync(join(folder, name), text);
  console.log(`docs/generated/${name}`);
}
