import { html } from '../../markup/index.js';
import { wholePage, type Surroundings } from './page-shell.js';

export const TRY_PATH = '/docs/try';

/** Where operations are sent from the browser: `try.js` fills it from /openapi.json. */
export function tryPage(surroundings: Surroundings): string {
  const { fileAt } = surroundings;
  const main = html`<main id="main" tabindex="-1">
<h1 class="unseen">Try the operations</h1>
<div id="operations"><p class="wait">Loading the operations …</p></div>
<noscript><p class="wait">Sending operations needs JavaScript. To read them, choose a group: <a href="/docs#operations">operations</a>.</p></noscript>
</main>`;
  const head = html`<link rel="stylesheet" href="${fileAt('swagger-ui.css')}">
<link rel="stylesheet" href="${fileAt('try.css')}">
<script src="${fileAt('swagger-ui-bundle.js')}" defer></script>
<script src="${fileAt('try.js')}" defer></script>
`;
  return wholePage({ title: 'Try the operations', path: TRY_PATH, main, wide: true, head }, surroundings);
}

/** Keys are not kept: `persistAuthorization` stays off. No validator is asked, as that would be somebody else's. */
export const TRY_SCRIPT = `'use strict';
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const dress = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', dress);
  dress();
})();
addEventListener('DOMContentLoaded', () => {
  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#operations',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 4,
    defaultModelRendering: 'example',
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    validatorUrl: null,
    queryConfigEnabled: false,
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
  });
});
`;
