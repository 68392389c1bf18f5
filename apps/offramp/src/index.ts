export { startOfframp, type OfframpService } from './start-offramp.js';
