// Rules of docs/engineers/architecture.md, "Layout": small folders, and features imported through their index.
import { dirname, join } from 'node:path/posix';

const MOST_SOURCES = 12;
const LARGER = new Map([
  ['apps/payments/src/commit/functions', 'a file for each step of commit_batch, in the order of their names'],
  ['libs/chains/src/sandbox/solana', 'one program, a node of a chain'],
  ['libs/chains/src/solana', 'a family of chains, as the others'],
  ['libs/chains/src/stellar', 'a family of chains, as the others'],
  ['tools/bench', 'a file for each measurement'],
]);

const SOURCE = /^(apps|libs|tools)\/.*\.(ts|mjs|js|sql)$/;
const NO_SOURCE = /\.(spec|spec-support)\.(ts|mjs)$|\/index\.ts$/;

/** Folders with too many sources; specs and index files do not count. */
export function folderFindings(files, larger = LARGER) {
  const counts = new Map();
  for (const path of files)
    if (SOURCE.test(path) && !NO_SOURCE.test(path)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  const findings = [...counts]
    .filter(([folder, count]) => count > MOST_SOURCES && !larger.has(folder))
    .map(([folder, count]) => `${folder} has ${count} source files; the limit is ${MOST_SOURCES}`);
  const needless = [...larger.keys()]
    .filter((folder) => (counts.get(folder) ?? 0) <= MOST_SOURCES)
    .map((folder) => `${folder} has at most ${MOST_SOURCES} source files, so remove its exception`);
  return [...findings, ...needless];
}

/** Services whose folders are features. `testing` is shared by suites; `store` has the tables. */
const IN_FEATURE = /^(apps\/(?:gateway|payments|offramp|checkout|notifier)\/src)\/(?!store\/|testing\/)([^/]+)\//;
const IMPORT = /\bfrom '(\.{1,2}\/[^']+)'|\bimport\('(\.{1,2}\/[^']+)'\)/g;

export const DOOR_RULE = {
  applies: (path) => IN_FEATURE.test(path) && !/\.(spec|spec-support)\.ts$/.test(path),
  find: (path, text) => {
    const [, src, feature] = IN_FEATURE.exec(path);
    return [...text.matchAll(IMPORT)].flatMap(([, from, later]) => {
      const target = join(dirname(path), from ?? later);
      const [, , theirs] = IN_FEATURE.exec(target) ?? [];
      if (theirs === undefined || theirs === feature || target === `${src}/${theirs}/index.js`) return [];
      return [`${path} imports ${target}: import another feature only from its index`];
    });
  },
};
