#!/usr/bin/env python3
"""Writes the shell completions of smemsim from its own help, so that they cannot miss an option.

  make.py --binary build/release/smemsim            rewrites smemsim.bash, _smemsim and smemsim.fish
  make.py --binary build/release/smemsim --check    fails when they are not up to date
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
HEADER = "# Made by tools/completions/make.py from smemsim's help. Do not edit.\n"
OPTION = re.compile(r"^  (?:(-\w), )?(--[\w-]+)(?: ([^\s].*?))?(?:  +(.*))?$")


def help_of(binary, *words):
    return subprocess.run([binary, *words, "--help"], capture_output=True, text=True, check=True).stdout


def commands_of(binary):
    """[(name, summary)]"""
    text = help_of(binary).split("\nCommands:\n")[1].split("\n\n")[0]
    entries = []
    for line in text.splitlines():
        if re.match(r"^  \S", line):
            name, _, summary = line.strip().partition("  ")
            entries.append([name, summary.strip()])
        else:
            entries[-1][1] += " " + line.strip()
    return [(name, summary) for name, summary in entries]


def options_of(binary, command):
    """[(short, long, value, description)]"""
    options = []
    for line in help_of(binary, command).splitlines():
        match = OPTION.match(line)
        if match:
            options.append([part or "" for part in match.groups()])
        elif options and re.match(r"^ {6,}\S", line):
            options[-1][3] = (options[-1][3] + " " + line.strip()).strip()
        elif line and not line.startswith(" "):
            pass
    return options


def choices_of(option):
    """The words that an option's description offers, such as "text, json, csv (default: text)"."""
    text = re.sub(r" \(default:.*", "", option[3]).split(";")[0].replace(" or ", ", ")
    words = [word.strip() for word in text.split(",")]
    plain = option[2] and len(words) > 1 and all(re.fullmatch(r"[a-z][a-z0-9_-]*", word) for word in words)
    return words if plain else []


def bash(commands):
    out = HEADER + "_smemsim() {\n  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
    out += "  local command=${COMP_WORDS[1]} options=\n  if ((COMP_CWORD == 1)); then\n"
    out += f'    COMPREPLY=($(compgen -W "{" ".join(c for c, _, _ in commands)} --help --version" -- "$current"))\n'
    out += "    return\n  fi\n  case $command in\n"
    for name, _, options in commands:
        words = " ".join(word for option in options for word in (option[0], option[1]) if word)
        out += f'    {name})\n      options="{words}"\n'
        offers = [(option, choices_of(option)) for option in options if choices_of(option)]
        if offers:
            out += "      case $previous in\n"
            for option, choices in offers:
                out += f'        {option[1]}) COMPREPLY=($(compgen -W "{" ".join(choices)}" -- "$current")); return ;;\n'
            out += "      esac\n"
        out += "      ;;\n"
    out += "  esac\n  if [[ $current == -* ]]; then\n"
    out += '    COMPREPLY=($(compgen -W "$options" -- "$current"))\n  else\n'
    out += '    COMPREPLY=($(compgen -f -- "$current"))\n  fi\n}\n'
    return out + "complete -o filenames -F _smemsim smemsim\n"


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(commands):
    out = "#compdef smemsim\n" + HEADER + "_smemsim() {\n  local -a commands=(\n"
    for name, summary, _ in commands:
        out += f"    '{name}:{quoted(summary)}'\n"
    out += "  )\n  if ((CURRENT == 2)); then\n    _describe 'command' commands\n    return\n  fi\n"
    out += "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n"
    for name, _, options in commands:
        out += f"    {name})\n      _arguments \\\n"
        for short, long, value, text in options:
            text = quoted(re.sub(r"[\[\]:]", " ", text))
            choices = choices_of((short, long, value, text))
            action = f":{quoted(value.lower())}:" + (f"({' '.join(choices)})" if choices else "_files") if value else ""
            action = action.replace("|", " ")
            for word in (short, long):
                if word:
                    out += f"        '{word}[{text}]{action}' \\\n"
        out += "        '*:file:_files'\n      ;;\n"
    return out + "  esac\n}\n_smemsim \"$@\"\n"


def fish(commands):
    out = HEADER
    for name, summary, options in commands:
        out += f"complete -c smemsim -n __fish_use_subcommand -a {name} -d '{quoted(summary)}'\n"
        for short, long, value, text in options:
            choices = choices_of((short, long, value, text))
            out += f"complete -c smemsim -n '__fish_seen_subcommand_from {name}'"
            out += (f" -s {short[1:]}" if short else "") + f" -l {long[2:]}" + (" -r" if value else "")
            out += (f" -f -a '{' '.join(choices)}'" if choices else "") + f" -d '{quoted(text)}'\n"
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    commands = [(name, summary, options_of(arguments.binary, name)) for name, summary in commands_of(arguments.binary)]
    stale = []
    for file, make in (("smemsim.bash", bash), ("_smemsim", zsh), ("smemsim.fish", fish)):
        text, path = make(commands), HERE / file
        if path.exists() and path.read_text() == text:
            continue
        stale.append(file)
        if not arguments.check:
            path.write_text(text)
    if arguments.check:
        for name, _, options in commands:
            for _, long, _, _ in options:
                for file in ("smemsim.bash", "_smemsim"):
                    if long not in (HERE / file).read_text():
                        print(f"{file}: {name} {long} is missing")
        if stale:
            sys.exit(f"not up to date: {', '.join(stale)}; run tools/completions/make.py --binary PROGRAM")
    print("completions are up to date" if arguments.check else f"wrote {', '.join(stale) or 'nothing new'}")


if __name__ == "__main__":
    main()
