export { EmbeddedVuka } from './embedded-vuka.js';
