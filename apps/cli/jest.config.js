import { projectConfig } from '../../jest.preset.js';

export default projectConfig('cli', import.meta.dirname);
