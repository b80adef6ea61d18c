import { programName } from '../version.ts'

/** The shells that can complete what a person types. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/**
 * A script for each shell, which asks `gatepass complete`. Where there are no completions, a shell offers file names. Bash 3.2,
 * which macOS has, reads no arrays from lines; zsh loads a file of this name by itself, or a person loads it.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `_${programName}() {
  local IFS=$'\\n'
  COMPREPLY=($(${programName} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _${programName} ${programName}
`,
  zsh: `#compdef ${programName}
_${programName}() {
  local -a found
  found=("\${(@f)$(${programName} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n "$found" ]]; then _describe ${programName} found; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _${programName} "$@"; else compdef _${programName} ${programName}; fi
`,
  fish: `function __${programName}
  set -l found (${programName} complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ${programName} -f -a '(__${programName})'
`,
}
