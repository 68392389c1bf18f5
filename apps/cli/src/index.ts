export { runDesk } from './run-desk.js';
