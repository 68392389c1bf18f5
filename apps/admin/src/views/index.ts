export { AdminViews } from './admin-views.js';
export { viewMethods } from './view-methods.js';
