import { projectConfig } from '../../jest.preset.js';

export default projectConfig('terminal', import.meta.dirname);
