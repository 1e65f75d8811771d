import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { cleanBlock, escapeJson } from './sanitize.ts';

/** Result of a filter. */
export interface FilterResult {
  /** For standard output: JSON, or raw strings; each result ends with a line break. */
  text: string;
  /** Output of `debug` and similar functions; usually empty. */
  messages: string;
  /** Set if it ended early, or failed for one of several documents. */
  failure: OrgadmError | undefined;
}

export interface FilterOptions {
  /** Print each result on one line instead of indented. */
  compact: boolean;
  /** Results go to a terminal, so strings must be sanitized. */
  terminal: boolean;
}

/** A compiled jq filter for the text of one or more JSON documents. */
export type JqFilter = (json: string, target: FilterOptions) => FilterResult;

/**
 * Compiles a jq filter, without running it.
 *
 * @param options.raw print strings without quotes
 * @throws UsageError with jq's own message for an invalid filter
 */
export async function compileFilter(filter: string, options: { raw: boolean }): Promise<JqFilter> {
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  // A filter that starts with a dash would be parsed as an option.
  const query = filter.startsWith('-') ? ` ${filter}` : filter;
  // Without a document, the filter is only compiled.
  const { exitCode, stderr } = jq.raw('', query);
  if (exitCode !== 0) {
    // The colon ends the line because jq shows the filter below it.
    const [message = ''] = stderr.split('\n');
    throw new UsageError(
      `--jq: ${message.replace(/^jq: error: |:$/g, '')}`,
      'The syntax is that of jq 1.8; put single quotes around the filter.',
    );
  }
  return (json, { compact, terminal }) => {
    const result = runSafely(() => jq.raw(json, query, compact ? ['-c'] : []));
    return {
      text: renderResults(result.stdout, options.raw, terminal),
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

/** Runs jq. A filter that runs out of memory or stack fails, but does not end the process. */
function runSafely(jq: () => JqResult): JqResult {
  try {
    return jq();
  } catch (error) {
    return { stdout: '', stderr: `jq: error: ${error instanceof Error ? error.message : String(error)}`, exitCode: 5 };
  }
}

/** Renders results. Only the line of a top-level string starts with a quote: in arrays and objects, lines are indented. */
function renderResults(stdout: string, raw: boolean, terminal: boolean): string {
  if (stdout === '') return '';
  if (!raw) return `${escapeJson(stdout)}\n`;
  const lines = stdout.split('\n').map((line) => {
    if (!line.startsWith('"')) return escapeJson(line);
    const text = String(JSON.parse(line));
    return terminal ? cleanBlock(text) : text;
  });
  return `${lines.join('\n')}\n`;
}

/** Finds the first error: jq continues with the next document, and its exit code is that of the last one. */
function failureOf({ stderr, exitCode }: JqResult): OrgadmError | undefined {
  const message = /^jq: (?:error(?: \(at [^)]*\))?:? ?|parse error: )(.*)/m.exec(stderr)?.[1];
  if (message === undefined && exitCode === 0) return undefined;
  if (/^jq: parse error/m.test(stderr)) {
    return new OrgadmError('jq-failed', EXIT.failure, `--jq: the output is not JSON: ${message}`);
  }
  return new OrgadmError('jq-failed', EXIT.failure, `--jq: ${message ?? (stderr || `ended with ${exitCode}`)}`, {
    hint: 'Check the document without --jq.',
  });
}
