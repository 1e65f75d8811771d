export { readDocumentation } from './command-pages.ts';
export { renderJsonPage } from './json-page.ts';
export { renderReference } from './reference.ts';
export { parseSchemas, readSchemas, renderSchemaFiles } from './schema-files.ts';
