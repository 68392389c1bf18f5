// Nx's name for what all projects share. This workspace has one Jest configuration, for all suites.
export { default } from './jest.config.js';
