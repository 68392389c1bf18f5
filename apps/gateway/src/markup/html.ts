/** Text that is markup already. */
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

/** As text or within the quotes of an attribute: nothing in it can end either. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}

/** Markup with values in it. Each is escaped unless it is markup itself; attributes are written in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Inside[]): Html {
  return new Html(parts.map((part, place) => part + inside(values[place] ?? '')).join(''));
}

function inside(value: Inside): string {
  if (typeof value === 'string') return escaped(value);
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('');
}

export const NOTHING = new Html('');
