import { quoteForShell } from '../output/sanitize.ts';

/** The words that the user typed after the program's name. */
export interface TypedWords {
  readonly words: readonly string[];
  /** The index of `--`, behind which no word is an option; without it, the number of words. */
  readonly end: number;
}

/** Returns the command line as the user typed it, with more options, quoted for a shell. */
function typedCommand({ words, end }: TypedWords, options: readonly string[]): string {
  return ['orgadm', ...words.slice(0, end), ...options, ...words.slice(end)].map(quoteForShell).join(' ');
}

/** Returns the command line as the user typed it, with more options, as a dry run. */
export function completedCommand(argv: TypedWords, options: readonly string[]): string {
  return typedCommand(without(argv, ['--restart', '--dry-run']), [...options, '--dry-run']);
}

function without({ words, end }: TypedWords, removed: readonly string[]): TypedWords {
  const kept = words.slice(0, end).filter((word) => !removed.includes(word));
  return { words: [...kept, ...words.slice(end)], end: kept.length };
}
