export * from './check-chain.js';
export { readSealedBlocks, type SealedBlock } from './read-sealed-blocks.js';
export * from './seal-archive.js';
export * from './seal-records.js';
export * from './sealed-chain.js';
