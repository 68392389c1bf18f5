// The field's words in names and comments (docs/decisions/0022): an ESLint rule, because ESLint has names and comments apart.
import { WORDS } from './prose-rules.mjs';

/** Words that no name has. `where`: the only files in which the word stands for something else. */
const NAMES = [
  { words: ['desk', 'desks'], better: 'admin' },
  {
    words: ['lane', 'lanes'],
    better: 'queue, buffer, priority or worker',
    where: /^(libs\/(runtime|http|testing)|tools)\//,
  },
  { words: ['scene', 'scenes', 'road', 'roads'], better: 'harness, fixture or path', where: /^tools\/bench\// },
  { words: ['tidy'], better: 'conventions' },
  { words: ['mend', 'mended', 'mends'], better: 'repair' },
  { words: ['arrival', 'arrivals'], better: 'incoming transfer' },
  { words: ['happening', 'happenings', 'news'], better: 'trigger or update' },
  { words: ['wire', 'wires'], better: 'event bus', where: /^(libs\/(chains|payouts)|apps\/sandbox)\// },
];

/** Public codes and standard names: they keep their words. */
const KEPT = new Set(['VUKA_TEST_WIRE_SEED']);

const piecesOf = (name) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];

/** What the field says in place of a word of this name; undefined where the name is fine. */
export function betterName(name, path) {
  if (KEPT.has(name)) return undefined;
  const pieces = new Set(piecesOf(name).map((piece) => piece.toLowerCase()));
  return NAMES.find(({ words, where }) => words.some((word) => pieces.has(word)) && !where?.test(path))?.better;
}

/** What to say in place of words of this comment: `{ found, better }`. */
export const findingsIn = (comment) =>
  WORDS.flatMap(([pattern, better]) => {
    const [found] = pattern.exec(comment) ?? [];
    return found === undefined ? [] : [{ found, better }];
  });

const rule = {
  meta: { type: 'suggestion', schema: [], messages: { word: '"{{found}}": say {{better}} (docs/decisions/0022).' } },
  create(context) {
    const path = context.filename.slice(context.cwd.length + 1).replaceAll('\\', '/');
    const told = new Set();
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments())
          for (const data of findingsIn(comment.value)) context.report({ loc: comment.loc, messageId: 'word', data });
      },
      Identifier(node) {
        if (told.has(node.name)) return;
        told.add(node.name);
        const better = betterName(node.name, path);
        if (better !== undefined) context.report({ node, messageId: 'word', data: { found: node.name, better } });
      },
    };
  },
};

export default { rules: { words: rule } };
