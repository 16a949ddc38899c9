# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: completion for bash of tlmssd, tlmssd-lab and tlmssd-tools. The program itself names the candidates.
# Try it with `source scripts/completion/tlmssd.bash`; an installation puts it where bash looks.

_tlmssd() {
    local program=${COMP_WORDS[0]/#\~/$HOME} line=${COMP_LINE:0:COMP_POINT} typed part before candidate
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    typed=${words[-1]}
    # bash replaces what follows the last separator: `vaq` of `scheduler=vaq`.
    part=$typed
    [[ $COMP_WORDBREAKS == *=* ]] && part=${part##*=}
    [[ $COMP_WORDBREAKS == *:* ]] && part=${part##*:}
    before=${typed%"$part"}
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        if [[ $candidate == :files ]]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r candidate; do
                COMPREPLY+=("$candidate")
            done < <(compgen -f -- "$part")
        else
            COMPREPLY+=("${candidate#"$before"}")
        fi
    done < <("$program" complete "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _tlmssd tlmssd tlmssd-lab tlmssd-tools
