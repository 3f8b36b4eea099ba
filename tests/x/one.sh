# one VERSION FLAVOUR N PATHS KINDS
. /tmp/wt-inner6/tests/family.sh
_program=$(build_target family "$2" "$1") || bail no
start_target "$_program"
RESOLVE_ARGS="--func main.lookup*"
start_pipeline --pid "$TARGET_PID"
"$_program" -load "$TARGET_ADDR" -n "$3" -c 4 ${4:+-paths $4}
compare cf "$4"
cp $TMP/spans /tmp/inner6-spans; cp $TMP/events /tmp/inner6-events; cp $TMP/want /tmp/inner6-want; cp $TMP/goattach.err /tmp/inner6-err
jq -c 'select(.type=="stats")|.counters' $TMP/spans
done_testing
