import { projectConfig } from '../../jest.preset.js';

export default projectConfig('testing', import.meta.dirname);
