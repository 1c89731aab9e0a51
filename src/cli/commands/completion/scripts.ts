/** The shells for which croupier has a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type CompletionShell = (typeof SHELLS)[number];

// Each script passes the text before the cursor to croupier and shows the answer. Each line of the answer has a value,
// a tab and its meaning. The last line begins with a colon and is an instruction for the shell: `:files` completes file
// names, `:nospace` adds no space.

const BASH = String.raw`# bash completion of croupier
_croupier() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :nospace) compopt -o nospace ;;
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\t'*}") ;;
    esac
  done < <(croupier completion answer --line "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _croupier croupier
`;

const ZSH = String.raw`#compdef croupier
# zsh completion of croupier
_croupier() {
  local line directive=
  local -a plain spaceless
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *) line=\${line//:/\\:}; plain+=("\${line/$'\t'/:}") ;;
    esac
  done < <(croupier completion answer -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  [[ $directive == :nospace ]] && spaceless=(-S '')
  (( \${#plain} )) && _describe -t croupier croupier plain "\${(@)spaceless}"
  if [[ $directive == :files ]]; then
    compset -P '*='
    _files
  fi
}
compdef _croupier croupier
`;

const FISH = `# fish completion of croupier
function __croupier_answer
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l head (string match -r -- '^.*=' $word)
    for line in (croupier completion answer -- $before[2..-1] "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (string replace -r -- '^.*=' '' $word) | string replace -r -- '^' "$head"
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c croupier -e
complete -c croupier -f -a '(__croupier_answer)'
`;

const SCRIPTS: Readonly<Record<CompletionShell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** Returns the script that a shell must load to complete croupier's commands. */
export function completionScript(shell: CompletionShell): string {
  return SCRIPTS[shell].replaceAll('\\${', '${');
}
