export type StyleText = (text: string) => string;

/** Colours by meaning. All of them are readable on light and on dark terminals; at level 0 they change nothing. */
export interface Style {
  /** 0 = none, 1 = 16 colours, 2 = 256, 3 = true colour. */
  readonly level: ColorLevel;
  readonly ok: StyleText;
  readonly error: StyleText;
  readonly warn: StyleText;
  readonly accent: StyleText;
  readonly strong: StyleText;
  readonly dim: StyleText;
}

export type ColorLevel = 0 | 1 | 2 | 3;

export interface StyleOptions {
  /** `false` switches colour off; `true` and `undefined` both leave the decision to environment and stream. */
  color: boolean | undefined;
  env: Record<string, string | undefined>;
  stream: { isTTY?: boolean };
}

const unstyled: StyleText = (text) => text;

/** The style without any colour. */
export const plainStyle: Style = {
  level: 0,
  ok: unstyled,
  error: unstyled,
  warn: unstyled,
  accent: unstyled,
  strong: unstyled,
  dim: unstyled,
};

/** The style for one stream. Chalk is loaded only when there is colour to make. */
export async function createStyle(options: StyleOptions): Promise<Style> {
  const level = colorLevel(options);
  if (level === 0) return plainStyle;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  return {
    level,
    ok: (text) => chalk.green(text),
    error: (text) => chalk.red(text),
    warn: (text) => chalk.magenta(text),
    accent: (text) => chalk.cyan(text),
    strong: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
  };
}

/**
 * How much colour to use, the first rule that speaks: `--no-color`, NO_COLOR (set and not empty), FORCE_COLOR,
 * TERM=dumb, no terminal, else what COLORTERM and TERM tell. `CI` makes no difference.
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

function forcedLevel(value: string): ColorLevel {
  if (value === '0' || value === 'false') return 0;
  if (value === '2') return 2;
  if (value === '3') return 3;
  return 1;
}
