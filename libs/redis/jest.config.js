import { projectConfig } from '../../jest.preset.js';

export default projectConfig('redis', import.meta.dirname);
