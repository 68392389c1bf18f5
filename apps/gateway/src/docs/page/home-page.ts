import { html, Html } from '../../markup/index.js';
import type { RenderedGuide } from '../guides/index.js';
import type { OperationPage } from '../operation-pages/index.js';

/** What most people come for. */
const FIRST = [
  {
    path: '/docs/guides/first-payout',
    title: 'First payout',
    text: 'From an empty folder to a paid bank account in five minutes.',
  },
  { path: '/docs/guides/webhooks', title: 'Webhooks', text: 'Be told of each change, and verify who tells it.' },
  {
    path: '/docs/guides/sandbox',
    title: 'Sandbox numbers',
    text: 'Recipients that fail, wait or come back, for your tests.',
  },
  { path: '/docs/guides/errors', title: 'Errors', text: 'Each code with what to do, and when to send again.' },
];

/** The README of the pages for partners, with the ways in after its first words and the operations at its end. */
export function homeBody({ body }: Pick<RenderedGuide, 'body'>, operations: readonly OperationPage[]): Html {
  const lead = body.text.indexOf('</p>') + '</p>'.length;
  return html`${new Html(body.text.slice(0, lead))}
<ul class="cards">
${FIRST.map(
  ({ path, title, text }) => html`<li><a href="${path}"><strong>${title}</strong><span>${text}</span></a></li>
`,
)}</ul>
${new Html(body.text.slice(lead))}
<h2 id="operations"><a class="anchor" href="#operations">Operations</a></h2>
<ul class="groups">
${operations.map(
  ({ path, title, sections }) => html`<li><a href="${path}">${title}</a> <span>${String(sections.length)}</span></li>
`,
)}</ul>
`;
}
