#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: the pictures of docs/start/debug-a-stall.md: GTKWave in light colours, without its tool bar, with callouts.
# Usage: stall_pictures.sh    after the first command of that page, which makes out/one and out/per_request
set -euo pipefail
cd "$(dirname "$0")/../../.."
images=$PWD/docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The views and filters in light colours, and a GTKWave with a white background.
mkdir "$work/scripts" "$work/bin"
cp scripts/waves "$work/scripts/"
cp -r waves "$work/"
ln -s "$PWD/out" "$PWD/rtl" "$PWD/firmware" "$work/"
sed -i 's/?gray15?/?gray92?/; s/?gray40?/?gray80?/; s/?gray50?/?gray85?/; s/?royal blue?/?light blue?/
    s/?forest green?/?light green?/' "$work"/waves/filters/*.txt
cat >"$work/bin/gtkwave" <<END
#!/usr/bin/env bash
light=()
for each in back=FFFFFF grid=D8DDE6 grid2=B8C0D0 high=1F6F3A low=1F6F3A value=000000 vbox=3A6EA5 vtrans=3A6EA5 \
    trans=1F6F3A mid=B08000 timeb=FFFFFF time=000000 1=1F6F3A 0=1F6F3A 1fill=FFFFFF vector=3A6EA5; do
    light+=(--rcvar "color_\${each%=*} \${each#*=}")
done
exec $(command -v gtkwave) "\${light[@]}" "\$@"
END
chmod +x "$work/bin/gtkwave"

shot() { (cd "$work" && PATH="$work/bin:$PATH" scripts/waves "$@"); }
# noted FROM TO [+X+Y TEXT]...
noted() {
    local from=$1 to=$2 notes=()
    shift 2
    while [ "$#" -gt 0 ]; do notes+=(-annotate "$1" "$2"); shift 2; done
    convert "$from" -font DejaVu-Sans-Bold -pointsize 18 -fill '#B00020' "${notes[@]}" -colors 96 "$to"
}

shot --view o3_overview --from 1980us --to 2400us --png "$work/one.png" out/one
convert "$work/one.png" -crop 1590x870+0+116 +repage "$work/cut.png"
noted "$work/cut.png" "$images/stall-overview.png" +640+502 '1  data land all the time, and are held back' \
    +980+692 '2  completions come in bursts' +930+455 '3  then many tags are free at once'

shot --view o3_overview --from 1980us --to 2400us --png "$work/per.png" out/per_request
convert "$work/per.png" -crop 1590x870+0+116 +repage "$work/cut.png"
noted "$work/cut.png" "$images/stall-cured.png" +640+502 '1  nothing is held back' \
    +640+692 '2  a completion follows each landing'

shot --view o3_channel --channel 2 --from 1780us --to 2400us --size 1400x1250 --png "$work/channel.png" out/one
convert \( "$work/channel.png" -crop 1390x34+0+112 +repage \) \( "$work/channel.png" -crop 1390x588+0+640 +repage \) \
    -append "$work/cut.png"
noted "$work/cut.png" "$images/stall-channel.png" +560+285 '1  LUN 0 of CE# 0: five reads, one after the other' \
    +1000+415 '2  tag 33 is the last' +1000+542 '3  the others have no work'
