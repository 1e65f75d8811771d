import { Argument } from 'commander';
import type { Context } from '../command-context.ts';
import { choiceParser } from '../define-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: ['orgadm completion bash', 'orgadm completion fish > orgadm.fish'],
  notes: [
    'Add one of these lines to the startup file of your shell:',
    {
      items: {
        bash: 'source <(orgadm completion bash)',
        zsh: 'source <(orgadm completion zsh)',
        fish: 'orgadm completion fish | source',
      },
    },
  ],
};

/** Registers `completion`. */
export default function registerCompletion(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  const shell = new Argument('<shell>', 'your shell').argParser((name) => choiceParser(name, 'completion', SHELLS));
  shell.argChoices = [...SHELLS];
  command.addArgument(shell).action((shell: Shell) => runCompletion(shell, context()));
}

/** Prints the script. It asks the tool for candidates, so it never goes out of date. */
async function runCompletion(shell: Shell, { output }: Context): Promise<void> {
  await output.writeRendered(COMPLETION_SCRIPTS[shell]);
}

const BASH = `# Completion of orgadm for bash.
_orgadm() {
  local words=() word kind= value i n=0
  # Bash splits words at = and :, so they are joined again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((n > 0)) && [[ $word == [=:]* || \${words[n - 1]} == *[=:] ]] &&
      [[ -n $word || \${COMP_LINE:COMP_POINT-1:1} != ' ' ]]; then
      words[n - 1]+=$word
    else
      words[n++]=$word
    fi
  done
  local current=\${words[n - 1]}
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    if [[ -z $kind ]]; then
      kind=$value
    elif [[ $current == *=* ]]; then
      COMPREPLY+=("\${value#"\${current%%=*}="}")
    else
      COMPREPLY+=("$value")
    fi
  done < <("$1" __complete -- "\${words[@]}" 2>/dev/null)
  case $kind in
    files) ;;
    *)
      compopt +o default 2>/dev/null
      # A value follows.
      if [[ \${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace 2>/dev/null; fi
      ;;
  esac
}
complete -o default -F _orgadm orgadm
`;

const ZSH = `#compdef orgadm
# Completion of orgadm for zsh.
_orgadm() {
  local -a lines candidates
  local line kind value
  lines=("\${(@f)$("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  kind=\${lines[1]}
  shift lines
  case $kind in
    files)
      compset -P '--*='
      _files
      ;;
    *)
      for line in $lines; do
        value=\${\${line%%$'\\t'*}//:/\\\\:}
        if [[ $line == *$'\\t'* ]]; then value+=":\${line#*$'\\t'}"; fi
        candidates+=("$value")
      done
      # A value follows = and :.
      if [[ $value == *[=:] ]]; then _describe -V orgadm candidates -S ''; else _describe -V orgadm candidates; fi
      ;;
  esac
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

const FISH = `# Completion of orgadm for fish.
function __orgadm_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    test -n "$current"; or set current ''
    set -l lines ($words[1] __complete -- $words[2..-1] $current 2>/dev/null)
    set -l prefix (string match -r -- '^--[^=]+=' $current)
    test -n "$prefix"; or set prefix ''
    switch "$lines[1]"
        case files
            string replace -r -- '^' $prefix (__fish_complete_path (string replace -- "$prefix" '' $current))
        case '*'
            printf '%s\\n' $lines[2..-1]
    end
end
complete -c orgadm -f -a '(__orgadm_complete)'
`;

/** The scripts by shell. Each calls `orgadm __complete` at every key press. */
const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

type Shell = keyof typeof COMPLETION_SCRIPTS;

const SHELLS = Object.keys(COMPLETION_SCRIPTS) as readonly Shell[];
