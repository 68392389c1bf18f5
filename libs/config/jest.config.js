import { projectConfig } from '../../jest.preset.js';

export default projectConfig('config', import.meta.dirname);
