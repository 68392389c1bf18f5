export type { ExitCode } from './exit-code.js';
export * from './paint.js';
export * from './text-table.js';
