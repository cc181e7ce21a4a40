#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports that gaps has written can be shown and compared again, a file that is none is
# refused, and a browser draws the page.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
COMMAND=$(realpath -e "$B/memsetshim" 2>/dev/null) || skip_all "no $B/memsetshim"
WRITER=$(realpath -e "$B/tests/unit-gap-write" 2>/dev/null) || skip_all "no unit-gap-write"
TMP=$(realpath -e "$TMP") || bail "no $TMP"
cd "$TMP" || bail "no $TMP"

"$WRITER" "$TMP" >/dev/null || bail "no reports"
"$COMMAND" show before.json >shown 2>err
is "$?" 0 "show"
has shown 'vectorized_elementwise_kernel -> memset -> nvjet' "the table"
is "$(cat err)" "" "and nothing on stderr"
"$COMMAND" show --format json before.json >again.json
same again.json before.json "written again it is the same"
"$COMMAND" show --format csv before.json >again.csv
same again.csv rows.csv "as CSV"
"$COMMAND" show --format html before.json >again.html
same again.html page.html "as a page"
"$COMMAND" show --format trace before.json >again.trace
same again.trace trace.json "as a trace"
"$COMMAND" show --top 1 before.json after.json >shown
is "$(count shown '^gapcount ')" 2 "two reports, one after the other"
has shown 'and 1 rows more' "--top"
"$COMMAND" diff before.json after.json >shown 2>err
is "$?" 0 "diff"
has shown 'replay, median +26\.40 +21\.00 +0\.795' "before, after and ratio"
"$COMMAND" diff --html before.json after.json >both.html
is "$(grep -c '<svg' both.html)" 4 "diff --html draws both"

# refused WHAT WHY COMMAND...: status 2, nothing on stdout, and why
refused()
{
	what=$1
	why=$2
	shift 2
	"$COMMAND" "$@" >shown 2>err
	is "$?" 2 "$what: status 2"
	is "$(cat shown)" "" "$what: nothing on stdout"
	has err "$why" "$what: the reason"
}
head -c 1000 before.json >cut.json
refused "cut off" "cut off" show cut.json
echo '{"traceEvents": []}' >foreign.json
refused "foreign" "no report of the gap counter" show foreign.json
refused "no JSON" "byte" show "$WRITER"
refused "not there" "No such file" show none.json
refused "empty" "cut off" show /dev/null
refused "a folder" "irectory" show .
sed 's/"schema": 1/"schema": 99/' before.json >later.json
refused "of another version" "another version" show later.json
refused "one is foreign" "no report" diff before.json foreign.json
sed 's/"level": "node"/"level": "graph"/' before.json >graph.json
"$COMMAND" show graph.json >shown 2>err
refused "levels differ" "cannot be compared" diff before.json graph.json
refused "no such format" "none of table" show --format pdf before.json
"$COMMAND" show before.json >/dev/full 2>err
is "$?" 1 "a full disk: status 1"

if command -v python3 >/dev/null; then
	python3 -m json.tool trace.json >/dev/null 2>err
	is "$?" 0 "the trace is JSON, whatever bytes a name has"
	cat >tags.py <<-'PYTHON'
		import html.parser, sys
		VOID = {"meta", "rect", "line"}
		OPTIONAL = {"td", "th", "tr"}
		class Tags(html.parser.HTMLParser):
		    open, bad = [], []
		    def handle_starttag(self, tag, attrs):
		        if tag not in VOID | OPTIONAL: self.open.append(tag)
		    def handle_startendtag(self, tag, attrs): pass
		    def handle_endtag(self, tag):
		        if tag in OPTIONAL: return
		        if not self.open or self.open.pop() != tag: self.bad.append(tag)
		tags = Tags()
		tags.feed(open(sys.argv[1]).read())
		print(tags.open + tags.bad)
	PYTHON
	for page in page.html pages.html; do
		is "$(python3 tags.py $page)" "[]" "$page: every tag is closed"
	done
else
	skip "no python3"
fi

CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$CHROMIUM" ]; then
	skip "no chromium"
	done_testing
fi
# Where things are, as the browser has laid them out.
cat pages.html - >measured.html <<'SCRIPT'
<script>
const boxes = s => [...document.querySelectorAll(s)].map(e => e.getBoundingClientRect());
const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
	a.top < b.bottom - 1 && b.top < a.bottom - 1;
const texts = boxes("svg text").filter(b => b.width);
let clashes = 0;
texts.forEach((a, i) => texts.slice(i + 1).forEach(b => { clashes += overlap(a, b); }));
const page = document.documentElement.scrollWidth;
document.title = "svg " + boxes("svg").filter(b => b.width > 400 && b.height > 80).length +
	" rects " + boxes("svg rect").filter(b => b.width > 1 && b.height > 1).length +
	" clashes " + clashes + " wide " + (page > innerWidth);
</script>
SCRIPT
timeout 60 "$CHROMIUM" --headless --no-sandbox --disable-gpu --window-size=1280,1600 \
	--dump-dom "file://$TMP/measured.html" >dom 2>err
sed -n 's/.*<title>\(svg [^<]*\)<.*/\1/p' dom | head -1 >title
[ -s title ] || diag_file err
has title '^svg 4 rects [3-9][0-9] ' "chromium draws four pictures with their nodes"
has title 'clashes 0 ' "no two texts are on one another"
has title 'wide false' "the page fits a window of 1280 pixels"
done_testing
