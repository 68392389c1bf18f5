// Prose rules for textlint: paragraphs and list items only, without tables, code and headings.

/** Private words with a common replacement; in prose only, not in backticks. */
export const WORDS = [
  [/\bdesks?\b/i, 'admin operations'],
  [/\b(?:the|a) wire\b/i, 'event bus'],
  [/\blanes?\b/i, 'delivery queue, partition buffer or priority'],
  [/\bscenes?\b/i, 'test harness or fixture'],
  [/\brails?\b(?!:)/i, 'provider'],
  [/\b(?:a|the|open) letters?\b/i, 'dead letter'],
  [/\bhands of people\b/i, 'manual operations'],
  [/\bdead[- ]letters? desk\b/i, 'dead letters'],
  [/\bhands for trouble\b/i, 'admin operations'],
  [/\bnews\b/i, 'what the provider reports later'],
  [/\bsave (?:where|for|that|what|those)\b/i, 'except'],
  [/\bnor (?:is|does|do|has|are|was)\b/i, 'a sentence of its own with "not"'],
  [/\b(?:of|by|to|from) whom(?:ever|soever)\b/i, 'a plain subject'],
  [/\bbesides it\b/i, '"also"'],
  [/\bthe road of\b/i, 'path'],
];

const CODE = 'x';
const SKIPPED = new Set(['Table', 'CodeBlock', 'Html', 'Header', 'HtmlBlock']);

export function readText(node) {
  if (SKIPPED.has(node.type)) return '';
  if (node.type === 'Code') return CODE;
  if (node.type === 'Break') return ' ';
  if (Array.isArray(node.children)) return node.children.map(readText).join('');
  return node.value ?? '';
}

export function sentencesOf(text) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\b(e\.g|i\.e|etc|vs|No)\./g, '$1')
    .split(/(?<=[.!?][")’”]?) (?=\S)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

export const wordsOf = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const paragraphs =
  (look) =>
  (context, options = {}) => {
    const { Syntax, RuleError, report } = context;
    return {
      [Syntax.Paragraph](node) {
        for (let parent = node.parent; parent; parent = parent.parent) if (SKIPPED.has(parent.type)) return;
        for (const message of look(readText(node), options)) report(node, new RuleError(message));
      },
    };
  };

export const sentenceLength = paragraphs((text, { above, upTo = Infinity }) =>
  sentencesOf(text)
    .filter((sentence) => wordsOf(sentence) > above && wordsOf(sentence) <= upTo)
    .map((sentence) => `${wordsOf(sentence)} words in a sentence: "${sentence.slice(0, 70)}…"`),
);

export const terminology = paragraphs((text) =>
  WORDS.flatMap(([pattern, better]) => {
    const [found] = pattern.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}": say ${better}`];
  }),
);
