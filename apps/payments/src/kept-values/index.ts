export { KeptValueStore } from './kept-value.store.js';
export { KeptValuesModule } from './kept-values.module.js';
