export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f5c4d"/><path d="M8 9l8 15 8-15" fill="none" stroke="#fff" stroke-width="3.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** `docs.js` fills it from /openapi.json. It has no inline script or style, so that the policy can be strict. */
export function docsPage(address: (path: string) => string, sandbox: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Vuka API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<link rel="icon" type="image/svg+xml" href="${address('/docs/icon.svg')}">
<link rel="stylesheet" href="${address('/docs/swagger-ui.css')}">
<link rel="stylesheet" href="${address('/docs/docs.css')}">
</head>
<body>
<header class="bar">
<a class="bar-name" href="/docs"><img src="${address('/docs/icon.svg')}" alt="" width="28" height="28">Vuka API</a>
<span class="bar-env bar-env-${sandbox ? 'sandbox">sandbox: no money moves' : 'live">live'}</span>
<a class="bar-link" href="/openapi.json">openapi.json</a>
</header>
<main id="docs"><p class="wait">Loading the operations …</p></main>
<noscript><p class="wait">This page needs JavaScript. The same is in <a href="/openapi.json">openapi.json</a> to read.</p></noscript>
<script src="${address('/docs/swagger-ui-bundle.js')}" defer></script>
<script src="${address('/docs/docs.js')}" defer></script>
</body>
</html>
`;
}

/** `persistAuthorization` stays off: keys are not stored. There is no validator, because it is a third party. */
export const SCRIPT = `'use strict';
addEventListener('DOMContentLoaded', () => {
  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#docs',
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
