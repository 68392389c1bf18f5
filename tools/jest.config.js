import { projectConfig } from '../jest.preset.js';

export default {
  ...projectConfig('tools', import.meta.dirname),
  testMatch: ['<rootDir>/**/*.spec.mjs'],
};
