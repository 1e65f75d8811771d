export { VERSION as version } from '../../src/util/version.ts';
export { readDocumentation } from './command-pages.ts';
export { renderManPages } from './man-page.ts';
export { renderReference } from './reference.ts';
export { renderSchemaFiles } from './schema-files.ts';
