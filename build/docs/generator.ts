export { readDocumentation } from './command-pages.ts';
export { renderReference } from './reference.ts';
