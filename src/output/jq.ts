import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { cleanBlock, escapeJson } from './sanitize.ts';

/** What a filter made of its input. */
export interface FilterResult {
  /** For standard output: JSON, or texts as they are; each result ends with a line break. */
  text: string;
  /** What the filter says by `debug` and the like; mostly empty. */
  messages: string;
  /** Why it ended early, or failed for one of several documents. */
  failure: OrgadmError | undefined;
}

export interface FilterOptions {
  /** One result a line instead of indented JSON. */
  compact: boolean;
  /** Results go to a terminal: texts may hold no control characters. */
  terminal: boolean;
}

/** A compiled jq filter. Takes the text of one or more JSON documents. */
export type JqFilter = (json: string, target: FilterOptions) => FilterResult;

/**
 * Compiles a jq filter, without running it. jq is loaded here and nowhere else, for those who ask for it.
 *
 * @param options.raw texts are printed as they are, without quotes
 * @throws UsageError with jq's own words for what is no filter
 */
export async function compileFilter(filter: string, options: { raw: boolean }): Promise<JqFilter> {
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  // A filter that begins with a dash would be taken for an option.
  const query = filter.startsWith('-') ? ` ${filter}` : filter;
  // Without a document the filter is compiled and never run.
  const { exitCode, stderr } = jq.raw('', query);
  if (exitCode !== 0) {
    throw new UsageError(
      `--jq: ${describeCompileError(stderr)}`,
      'The filter is that of jq 1.8; put single quotes around it.',
    );
  }
  return (json, { compact, terminal }) => {
    const result = run(() => jq.raw(json, query, compact ? ['-c'] : []));
    return {
      text: render(result.stdout, options.raw, terminal),
      messages: result.stderr.replace(/^jq: .*\n?/gm, ''),
      failure: failureOf(result),
    };
  };
}

interface JqResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** A filter that needs more memory or depth than there is ends the machine it runs on, not the process. */
function run(jq: () => JqResult): JqResult {
  try {
    return jq();
  } catch (error) {
    return { stdout: '', stderr: `jq: error: ${error instanceof Error ? error.message : String(error)}`, exitCode: 5 };
  }
}

/** A text stands alone on a line that begins with its quote: inside of arrays and objects lines are indented, or begin otherwise. */
function render(stdout: string, raw: boolean, terminal: boolean): string {
  if (stdout === '') return '';
  if (!raw) return `${escapeJson(stdout)}\n`;
  const lines = stdout.split('\n').map((line) => {
    if (!line.startsWith('"')) return escapeJson(line);
    const text = String(JSON.parse(line));
    return terminal ? cleanBlock(text) : text;
  });
  return `${lines.join('\n')}\n`;
}

/** `syntax error, unexpected end of file at line 1, column 6` */
function describeCompileError(stderr: string): string {
  const [first = ''] = stderr.split('\n');
  return first
    .replace(/^jq: error: /, '')
    .replace(' at <top-level>, line', ' at line')
    .replace(/ \(try "\."\)$/, '')
    .replace(/:$/, '');
}

/** jq goes on with the next document after an error, and its exit code is that of the last one. */
function failureOf({ stderr, exitCode }: JqResult): OrgadmError | undefined {
  const message = /^jq: (?:error(?: \(at [^)]*\))?:? ?|parse error: )(.*)/m.exec(stderr)?.[1];
  if (message === undefined && exitCode === 0) return undefined;
  if (/^jq: parse error/m.test(stderr)) {
    return new OrgadmError('jq-failed', EXIT.failure, `--jq: what came is not JSON: ${message}`);
  }
  return new OrgadmError('jq-failed', EXIT.failure, `--jq: ${message ?? (stderr || `ended with ${exitCode}`)}`, {
    hint: 'Look at the document without --jq first; orgadm schema <command> describes it.',
  });
}
