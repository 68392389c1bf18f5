import { projectConfig } from '../../jest.preset.js';

export default projectConfig('data-folder', import.meta.dirname);
