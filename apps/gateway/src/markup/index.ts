export { escaped, html, Html, NOTHING } from './html.js';
