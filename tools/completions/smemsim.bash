# Made by tools/completions/make.py from smemsim's help. Do not edit.
_smemsim() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} options=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "report explain advise races occupancy simulate diff capture validate export import machines --help --version" -- "$current"))
    return
  fi
  case $command in
    report)
      options="--kernel --machine --by --site --sort --top --fail-on --global --format -o --output --color -h --help"
      case $previous in
        --sort) COMPREPLY=($(compgen -W "excess wavefronts ways executed source" -- "$current")); return ;;
        --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
    explain)
      options="-f --file -D --define --block --grid --blocks --max-steps --layout --element --access --coord --store --swizzle-bytes --machine --site --sort --global --fail-on --show-text --format -o --output --color -h --help"
      case $previous in
        --sort) COMPREPLY=($(compgen -W "excess wavefronts ways executed source" -- "$current")); return ;;
        --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
    advise)
      options="-D --define --block --grid --blocks --max-steps -e --expr --kernel --machine --registers --top --no-cycles --format -o --output --color -h --help"
      case $previous in
        --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
    races)
      options="--kernel --expr --block --define --hints --no-uninitialised --shuffles-order --suppress --show-suppressed --fail-on --format -o --output --color -h --help"
      case $previous in
        --format) COMPREPLY=($(compgen -W "text json sarif csv" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
    occupancy)
      options="--kernel --threads --registers --shared --barriers --carveout --machine --format -o --output --color --json -h --help"
      case $previous in
        --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
    simulate)
      options="--kernel --machine --what-if --set --ablate --blocks --grid-blocks --clocked --timeline --from --cycles --timeline-out --format -o --output --color -h --help"
      case $previous in
        --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
    diff)
      options="--kernel --measured --tolerance --cycles --cycle-tolerance --ablate --machine --format -o --output --color -h --help"
      case $previous in
        --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
    capture)
      options="-o --output --kernel --launches --blocks --measure --max-records --cuda --buffer -h --help"
      ;;
    validate)
      options="--machine --format -o --output --examples -h --help"
      case $previous in
        --format) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
      esac
      ;;
    export)
      options="--kernel --format -o --output -h --help"
      ;;
    import)
      options="-o --output --from --kernel -h --help"
      ;;
    machines)
      options="--format -o --output --color -h --help"
      case $previous in
        --format) COMPREPLY=($(compgen -W "text json" -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
      esac
      ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _smemsim smemsim
