#!/bin/sh
# A push function in shell, written from the bundled guides alone: answers one HTTP request on stdin and stdout, as socat
# or inetd start it. Notes each effect in the file $EFFECTS.
set -eu

body=$(mktemp)
trap 'rm -f "$body"' EXIT

reply() { # status, body
  printf 'HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\nConnection: close\r\n\r\n%s' \
    "$1" "$(printf %s "$2" | wc -c)" "$2"
  exit 0
}

signature= length=0
while IFS= read -r line; do
  line=$(printf %s "$line" | tr -d '\r')
  [ -n "$line" ] || break
  case $(printf %s "$line" | tr 'A-Z' 'a-z') in
    content-length:*) length=$(printf %s "${line#*:}" | tr -d ' ') ;;
    x-ironflow-signature:*) signature=$(printf %s "${line#*:}" | tr -d ' ') ;;
  esac
done
head -c "$length" >"$body"

wanted=$(openssl dgst -sha256 -hmac "$IRONFLOW_SIGNING_KEY" "$body" | sed 's/^.*= */sha256=/')
[ "$signature" = "$wanted" ] || reply '401 Unauthorized' '{"error":{"code":"SIGNATURE_INVALID","message":"no"}}'

run_id=$(jq -r .run_id "$body")
news='[]'

now() { date -u +%Y-%m-%dT%H:%M:%S.%3NZ; }
output_of() { jq -ce --arg id "$1" '(.steps // [])[] | select(.id == $id and .status == "completed") | {output}' "$body"; }
report() { # id, name, output
  news=$(jq -cn --argjson news "$news" --arg id "$1" --arg name "$2" --arg at "$(now)" --argjson output "$3" \
    '$news + [{id: $id, name: $name, type: "invoke", status: "completed", started_at: $at, ended_at: $at, output: $output}]')
}

order=$(jq -r '.event.data.order // empty' "$body")
[ -n "$order" ] || reply '200 OK' '{"status":"failed","steps":[],"error":{"message":"the event has no order","retryable":false}}'

id="$run_id:reserve:0"
if done=$(output_of "$id"); then
  shelf=$(printf %s "$done" | jq -c .output.shelf)
else
  echo "reserve $id" >>"$EFFECTS"
  shelf='"B4"'
  report "$id" reserve "{\"shelf\":$shelf}"
fi

id="$run_id:nap:0"
output_of "$id" >/dev/null || reply '200 OK' "$(jq -cn --argjson steps "$news" --arg id "$id" --arg until "$(now)" \
  '{status: "yielded", steps: $steps, yield: {type: "sleep", step_id: $id, until: $until}}')"

id="$run_id:ship:0"
if done=$(output_of "$id"); then
  shipped=$(printf %s "$done" | jq -c .output)
else
  echo "ship $id" >>"$EFFECTS"
  shipped=true
  report "$id" ship "$shipped"
fi

reply '200 OK' "$(jq -cn --argjson steps "$news" --argjson shelf "$shelf" --argjson shipped "$shipped" --arg order "$order" \
  '{status: "completed", steps: $steps, result: {order: $order, shelf: $shelf, shipped: $shipped}}')"
