export { loadStackSettings } from './parts/stack-settings.js';
export { runStack } from './run-stack.js';
export { Supervisor } from './supervisor.js';
