export { GUIDE_GROUPS, GUIDES, guidePath, HOME } from './guide-list.js';
export { readGuides, type RenderedGuide } from './read-guides.js';
export { codeBlock, plainText, renderText, scrolled, type Section } from './render-guide.js';
