import { projectConfig } from '../../jest.preset.js';

export default projectConfig('jobs', import.meta.dirname);
