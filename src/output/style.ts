/** The meaning of a text. Terminals show each in a color of their palette, or in bold or faint letters. */
export type StyleName = 'ok' | 'error' | 'warn' | 'accent' | 'strong' | 'dim';

/** Adds the escape sequences of a style to a text, or nothing where there is no color. */
export type Paint = (style: StyleName, text: string) => string;

export interface StyleOptions {
  /** `false` disables color; otherwise it depends on environment and stream. */
  color: boolean | undefined;
  env: Readonly<Record<string, string | undefined>>;
  stream: { readonly isTTY?: boolean };
}

/** Returns the text as it is. */
export const paintNothing: Paint = (_style, text) => text;

/** Chalk's level for terminals with the colors of the palette, which are all that the styles use. */
const SIXTEEN_COLORS = 1;

/** Creates the function that colors the text of a stream. Chalk is loaded only if there is color. */
export async function createPaint(options: StyleOptions): Promise<Paint> {
  if (!hasColor(options)) return paintNothing;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: SIXTEEN_COLORS });
  const painters: Record<StyleName, (text: string) => string> = {
    ok: chalk.green,
    error: chalk.red,
    warn: chalk.yellow,
    accent: chalk.cyan,
    strong: chalk.bold,
    dim: chalk.dim,
  };
  return (style, text) => painters[style](text);
}

/**
 * Whether text is colored, by the first rule that applies: `--no-color`, NO_COLOR (set and not empty), FORCE_COLOR (set and not empty; `0`
 * and `false` disable color), TERM=dumb, whether the stream is a terminal.
 */
export function hasColor({ color, env, stream }: StyleOptions): boolean {
  if (color === false || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return env.TERM !== 'dumb' && Boolean(stream.isTTY);
}

/** Whether a line of progress may be animated: on a terminal that has color, and can move the cursor. */
export function isAnimated(options: StyleOptions): boolean {
  return Boolean(options.stream.isTTY) && options.env.TERM !== 'dumb' && hasColor(options);
}

/** Columns of a terminal that reports none, such as the pseudo-terminal of a CI job. */
export const DEFAULT_COLUMNS = 80;

/** A stream that may be a terminal. */
export interface SizedStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Returns the columns of a terminal, 1 or more; undefined for a stream that is not a terminal. */
export function terminalColumns(stream: SizedStream): number | undefined {
  return stream.isTTY ? stream.columns || DEFAULT_COLUMNS : undefined;
}
