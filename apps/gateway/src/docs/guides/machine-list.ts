import { html, type Html } from '../../markup/index.js';

const STEP = /^\s*(\w+) --> (\w+)\s*$/;

/** A drawing of states as a list: where each may lead. GitHub draws it, and this site has no program that does. */
export function machineList(drawing: string): Html {
  const after = new Map<string, string[]>();
  for (const line of drawing.split('\n')) {
    const [, from, to] = STEP.exec(line) ?? [];
    if (from !== undefined && to !== undefined) after.set(from, [...(after.get(from) ?? []), to]);
  }
  const rows = [...after].map(
    ([from, targets]) => html`<li><code>${from}</code> <span class="leads">leads to</span> ${joined(targets)}</li>
`,
  );
  return html`<ul class="machine">
${rows}</ul>
`;
}

function joined(names: readonly string[]): Html[] {
  return names.map((name, place) => (place === 0 ? html`<code>${name}</code>` : html` or <code>${name}</code>`));
}
