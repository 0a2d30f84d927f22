"""`completion`: the script that has a shell complete the words of `cuda-shim`."""

from __future__ import annotations

import sys

from cuda_shim import settings
from cuda_shim.cli.verbs import VERBS

__all__ = ["completion"]

USAGE = """\
usage: python -m cuda_shim completion (bash | zsh | fish)

Print a script that has the shell complete the verbs of the command cuda-shim, the options of `run`, and their values:

  source <(cuda-shim completion bash)      in ~/.bashrc
  source <(cuda-shim completion zsh)       in ~/.zshrc, behind compinit
  cuda-shim completion fish | source       in ~/.config/fish/config.fish
"""

_BASH = """\
_cuda_shim() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "VERBS" -- "$word"))
        return
    fi
    COMPREPLY=()
    [ "${COMP_WORDS[1]}" = run ] || return 0
    case $before in
VALUES
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "OPTIONS" -- "$word")) ;;
    esac
}
complete -o default -F _cuda_shim cuda-shim
"""

_ZSH = """\
_cuda_shim() {
    local before=${words[CURRENT-1]}
    if (( CURRENT == 2 )); then
        compadd -- VERBS
        return
    fi
    if [[ ${words[2]} == run ]]; then
        case $before in
VALUES
        esac
        [[ ${words[CURRENT]} == -* ]] && compadd -- OPTIONS && return
    fi
    _files
}
compdef _cuda_shim cuda-shim
"""


def completion(words: list[str]) -> int:
    """Print the script for a shell; return the exit status."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if len(words) != 1 or words[0] not in ("bash", "zsh", "fish"):
        print(USAGE, end="", file=sys.stderr)
        return 2
    print(_fish() if words[0] == "fish" else _with_words(_BASH if words[0] == "bash" else _ZSH), end="")
    return 0


def _options() -> dict[str, tuple[str, ...]]:
    """Return the options of `run`, with their values where these are few."""
    of_settings = {
        f"--{item.name.replace('_', '-')}": item.choices for item in settings.SETTINGS if item.name != "mode"
    }
    return {**of_settings, "--require": ()}


def _with_words(script: str) -> str:
    options = _options()
    is_zsh = script is _ZSH
    answer = "compadd -- {}; return" if is_zsh else 'COMPREPLY=($(compgen -W "{}" -- "$word")); return'
    values = [f"        {name}) {answer.format(' '.join(choices))} ;;" for name, choices in options.items() if choices]
    script = script.replace("VERBS", " ".join(VERBS)).replace("OPTIONS", " ".join(options))
    return script.replace("VALUES", "\n".join(values))


def _fish() -> str:
    lines = [f"complete -c cuda-shim -n __fish_use_subcommand -f -a '{' '.join(VERBS)}'"]
    for name, choices in _options().items():
        values = f" -x -a '{' '.join(choices)}'" if choices else ""
        lines.append(f"complete -c cuda-shim -n '__fish_seen_subcommand_from run' -l {name[2:]}{values}")
    return "".join(f"{line}\n" for line in lines)
