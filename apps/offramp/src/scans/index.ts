export { ScanChains } from './scan-chains.js';
export { ScansModule } from './scans.module.js';
