import { projectConfig } from '../../jest.preset.js';

export default projectConfig('persistence', import.meta.dirname);
