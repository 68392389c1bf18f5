export { Edge } from './edge.js';
export { EdgeModule } from './edge.module.js';
export { gatewayAdapter } from './gateway-adapter.js';
export { HttpApi } from './http-api.js';
export { NoteRefusals } from './note-refusals.js';
