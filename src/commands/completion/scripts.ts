import { quoteForShell as quote } from '../../output/sanitize.ts';

/** A word that may be typed. */
interface CompletedWord {
  name: string;
  description: string;
}

/** An option by its long name. */
export interface CompletedOption extends CompletedWord {
  short: string | undefined;
  takesValue: boolean;
  /** The values that it accepts; none if it accepts others. */
  choices: readonly string[];
}

/** A place in a command line: after the program, a noun, or a command. */
export interface Place {
  /** The words that lead there: ``, `people`, `people bulk-add`. */
  path: string;
  /** The commands, or the values of an argument. */
  words: readonly CompletedWord[];
  /** The options of this place. Those of the program are accepted everywhere. */
  options: readonly CompletedOption[];
}

/** Returns the script for bash. Where it offers no word, bash completes file names. */
export function bashScript(places: readonly Place[]): string {
  const add = (words: readonly CompletedWord[]) => `words+=${quote(words.map(({ name }) => ` ${name}`).join(''))}`;
  return `# Completion of orgadm for bash.
_orgadm() {
  local current=\${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) command= previous word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in
      ${pathPattern(places)}) command="\${command:+$command }$word" ;;
    esac
  done
  # Bash makes a word of an equals sign.
  if [[ $current == = ]]; then
    current=
  elif [[ \${COMP_WORDS[at]} == = ]]; then
    at=$((at - 1))
  fi
  previous=\${COMP_WORDS[at]}
${branches(places, add)}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _orgadm orgadm
`;
}

/** Returns the script for zsh. Where it offers no word, zsh completes file names. */
export function zshScript(places: readonly Place[]): string {
  const item = ({ name, description }: CompletedWord) => quote(description === '' ? name : `${name}:${description}`);
  return `#compdef orgadm
# Completion of orgadm for zsh.
_orgadm() {
  local command= word current=\${words[CURRENT]} previous=\${words[CURRENT-1]}
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${command:+$command }$word" in
      (${pathPattern(places)}) command="\${command:+$command }$word" ;;
    esac
  done
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    current=
    compset -P '--*='
  fi
${branches(places, (words) => `candidates+=(${words.map(item).join(' ')})`)}
  if (( $#candidates )); then _describe -V orgadm candidates; else _files; fi
}
if [[ \${funcstack[1]} == _orgadm ]]; then
  _orgadm "$@"
else
  # compinit defines compdef. A startup file may call it later, or never.
  _orgadm_register() {
    if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit -i; fi
    compdef _orgadm orgadm
    precmd_functions=(\${precmd_functions:#_orgadm_register})
  }
  if (( $+functions[compdef] )); then _orgadm_register; else precmd_functions+=(_orgadm_register); fi
fi
`;
}

/** Matches the words that lead to a noun or a command. */
function pathPattern(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : quote(path))).join(' | ');
}

/** Returns the part that bash and zsh have in common: it adds the words for the command and the word at the cursor. */
function branches(places: readonly Place[], add: (words: readonly CompletedWord[]) => string): string {
  const common = places.find(({ path }) => path === '')?.options ?? [];
  const values = places.flatMap(({ path, options }) =>
    options.filter(({ choices }) => choices.length > 0).map((option) => ({ path, ...option })),
  );
  const optionCases = places
    .filter(({ path, options }) => path !== '' && options.length > 0)
    .map(({ path, options }) => `      (${quote(path)}) ${add(options)} ;;`);
  const valueCases = values.map(({ path, name, short, choices }) => {
    const flags = [name, ...(short === undefined ? [] : [short])];
    const patterns = flags.map((flag) => (path === '' ? `*${quote(` ${flag}`)}` : quote(`${path} ${flag}`)));
    return `      (${patterns.join(' | ')}) ${add(choices.map((choice) => ({ name: choice, description: '' })))} ;;`;
  });
  const wordCases = places
    .filter(({ words }) => words.length > 0)
    .map(({ path, words }) => `          (${quote(path)}) ${add(words)} ;;`);
  return `  if [[ $current == -* ]]; then
    case $command in
${optionCases.join('\n')}
    esac
    ${add([...common, HELP])}
  else
    case "$command $previous" in
${valueCases.join('\n')}
      (*)
        case $command in
${wordCases.join('\n')}
        esac
        ;;
    esac
  fi`;
}

const HELP: CompletedWord = { name: '--help', description: 'print help' };

/** Returns the script for fish. Where it offers no word, fish completes file names, but not in the place of a command. */
export function fishScript(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => fishQuote(path));
  const lines = places.flatMap(({ path, words, options }) => {
    const here = `-n ${fishQuote(`__orgadm_at ${fishQuote(path)}`)}`;
    // The options of the program are accepted everywhere.
    const where = path === '' ? '' : ` ${here}`;
    return [
      ...words.map(
        ({ name, description }) => `complete -c orgadm ${here} -f -a ${fishQuote(name)} -d ${fishQuote(description)}`,
      ),
      ...options.map(({ name, short, description, takesValue, choices }) => {
        const flags = `-l ${name.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
        const value = choices.length > 0 ? ` -x -a ${fishQuote(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c orgadm${where} ${flags}${value} -d ${fishQuote(description)}`;
      }),
    ];
  });
  return `# Completion of orgadm for fish.
function __orgadm_at
    set -l command ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$command $word")
        contains -- $next ${paths.join(' ')}; and set command $next
    end
    test "$command" = "$argv[1]"
end
${lines.join('\n')}
complete -c orgadm -l help -s h -d 'print help'
`;
}

/** Quotes a word for fish, which knows escapes within single quotes. */
function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
