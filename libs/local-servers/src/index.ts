export type { LocalServer } from './local-server.js';
