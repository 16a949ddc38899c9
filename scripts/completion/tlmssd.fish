# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: completion for fish of tlmssd, tlmssd-lab and tlmssd-tools. The program itself names the candidates.

function __tlmssd_candidates
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    for line in ($program complete $words[2..-1] "$typed" 2>/dev/null)
        if test "$line" = :files
            # A path may follow KEY=.
            set -l before (string match -r '^.*=' -- $typed)
            set -l part (string replace -r '^.*=' '' -- $typed)
            for path in $part*
                test -d "$path"; and set path $path/
                echo "$before$path"
            end
        else
            echo $line
        end
    end
end

for program in tlmssd tlmssd-lab tlmssd-tools
    complete -c $program -f -a '(__tlmssd_candidates)'
end
