import { projectConfig } from '../../jest.preset.js';

export default projectConfig('http', import.meta.dirname);
