import { projectConfig } from '../../jest.preset.js';

export default projectConfig('messaging', import.meta.dirname);
