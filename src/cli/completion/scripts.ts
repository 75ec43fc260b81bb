// The completion scripts for shells. Each asks `__complete` at a Tab, so it needs no change when verbs change, and it
// passes what was typed on as words: nothing of it is evaluated.

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

/** How a user loads a script, for the help. The first way starts no program when a shell starts. */
export const HOW_TO_LOAD: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    'mkdir -p ~/.local/share/bash-completion/completions',
    'reprise completion bash > ~/.local/share/bash-completion/completions/reprise',
  ],
  zsh: ['reprise completion zsh > "$fpath[1]/_reprise"'],
  fish: ['reprise completion fish > ~/.config/fish/completions/reprise.fish'],
}

const BASH = String.raw`# bash completion for reprise. It needs nothing but bash 3.2 or newer.
_reprise() {
  local line current="${'$'}{COMP_WORDS[COMP_CWORD]}" paths=''
  [ "$current" = '=' ] && current=''
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) paths=-f ;;
      :dirs) paths=-d ;;
      *) COMPREPLY+=("${'$'}{line%%$'\t'*}") ;;
    esac
  done < <(reprise __complete -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [ -n "$paths" ] || return 0
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(compgen "$paths" -- "$current" 2>/dev/null)
  return 0
}
complete -F _reprise reprise
`

const ZSH = String.raw`#compdef reprise
# zsh completion for reprise.
_reprise() {
  local line paths=''
  local -a values
  while IFS= read -r line; do
    case $line in
      :files|:dirs) paths=$line ;;
      *$'\t'*) values+=("${'$'}{${'$'}{line%%$'\t'*}//:/\\:}:${'$'}{line#*$'\t'}") ;;
      *) values+=("${'$'}{line//:/\\:}") ;;
    esac
  done < <(reprise __complete -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  case $paths in
    :files) _files ;;
    :dirs) _files -/ ;;
  esac
  (( ${'$'}#values )) && _describe -V reprise values
}
if [[ $funcstack[1] == _reprise ]]; then
  _reprise "$@"
elif (( $+functions[compdef] )); then
  compdef _reprise reprise
fi
`

const FISH = String.raw`# fish completion for reprise.
function __reprise_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -e words[1]
  for line in (reprise __complete -- $words "$current" 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path "$current"
      case ':dirs'
        __fish_complete_directories "$current" ''
      case '*'
        printf '%s\n' $line
    end
  end
end
complete -c reprise -f -k -a '(__reprise_complete)'
`

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
