import { projectConfig } from '../../jest.preset.js';

export default projectConfig('admin', import.meta.dirname);
