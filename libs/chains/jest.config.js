import { projectConfig } from '../../jest.preset.js';

export default projectConfig('chains', import.meta.dirname);
