import { projectConfig } from '../../jest.preset.js';

export default projectConfig('runtime', import.meta.dirname);
