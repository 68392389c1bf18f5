import { projectConfig } from '../../jest.preset.js';

export default { ...projectConfig('e2e', import.meta.dirname), testEnvironment: '<rootDir>/vuka-environment.js' };
