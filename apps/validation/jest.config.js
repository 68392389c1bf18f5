import { projectConfig } from '../../jest.preset.js';

export default projectConfig('validation', import.meta.dirname);
