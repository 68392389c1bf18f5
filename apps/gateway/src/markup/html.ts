export class Html {
  constructor(readonly text: string) {}
}

type Inside = string | Html | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe as text and inside quotes of an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}

/** Escapes each value that is not Html. Attributes need double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Inside[]): Html {
  return new Html(parts.map((part, place) => part + inside(values[place] ?? '')).join(''));
}

function inside(value: Inside): string {
  if (typeof value === 'string') return escaped(value);
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('');
}

export const NOTHING = new Html('');
