/** The meaning of a text. Terminals show each in a color of their palette, or in bold or faint letters. */
export type StyleName = 'ok' | 'error' | 'warn' | 'accent' | 'strong' | 'dim';

/** Adds the escape sequences of a style to a text, or nothing where there is no color. */
export type Paint = (style: StyleName, text: string) => string;

/** 0 = none, 1 = 16 colors, 2 = 256, 3 = true color. */
export type ColorLevel = 0 | 1 | 2 | 3;

export interface StyleOptions {
  /** `false` disables color; otherwise it depends on environment and stream. */
  color: boolean | undefined;
  env: Readonly<Record<string, string | undefined>>;
  stream: { readonly isTTY?: boolean };
}

/** Returns the text as it is. */
export const paintNothing: Paint = (_style, text) => text;

/** Creates the function that colors the text of a stream. Chalk is loaded only if there is color. */
export async function createPaint(options: StyleOptions): Promise<Paint> {
  const level = colorLevel(options);
  if (level === 0) return paintNothing;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
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
 * Returns the color level by the first rule that applies: `--no-color`, NO_COLOR (set and not empty), FORCE_COLOR, TERM=dumb,
 * no terminal, COLORTERM and TERM.
 */
export function colorLevel({ color, env, stream }: StyleOptions): ColorLevel {
  if (color === false) return 0;
  if (env.NO_COLOR) return 0;
  if (env.FORCE_COLOR !== undefined) return forcedLevel(env.FORCE_COLOR);
  if (env.TERM === 'dumb') return 0;
  if (!stream.isTTY) return 0;
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return 3;
  if (/-256(color)?$/.test(env.TERM ?? '')) return 2;
  return 1;
}

/**
 * Whether a line of progress may be animated: on a terminal, unless `--no-color`, NO_COLOR (set and not empty) or TERM=dumb
 * ask for plain text.
 */
export function isAnimated({ color, env, stream }: StyleOptions): boolean {
  if (color === false || env.NO_COLOR) return false;
  return env.TERM !== 'dumb' && Boolean(stream.isTTY);
}

function forcedLevel(value: string): ColorLevel {
  if (value === '0' || value === 'false') return 0;
  if (value === '2') return 2;
  if (value === '3') return 3;
  return 1;
}
