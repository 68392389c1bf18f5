// `node tools/typecheck.mjs <project folder>`: the types of one project, its specs included, against its
// dependencies' sources. (`npm run typecheck` does all projects at once.)
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

import { ROOT } from './run.mjs';

const project = resolve(ROOT, process.argv[2] ?? '.');
const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]) };
const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), {}, host);
const rootNames = config.fileNames.filter((file) => !relative(project, file).startsWith('..'));
const program = ts.createProgram({ rootNames, options: config.options });
report([...config.errors, ...ts.getPreEmitDiagnostics(program)]);

function report(diagnostics) {
  if (diagnostics.length === 0) return;
  const format = { getCurrentDirectory: () => ROOT, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stdout.write(ts.formatDiagnosticsWithColorAndContext(diagnostics, format));
  process.exit(1);
}
