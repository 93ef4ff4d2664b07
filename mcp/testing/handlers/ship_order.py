"""A push function in plain Python, written from the bundled guides alone. Prints its port; notes each effect in a file."""
import hashlib
import hmac
import json
import os
import sys
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = os.environ["IRONFLOW_SIGNING_KEY"].encode()
EFFECTS = sys.argv[1]


def now():
    return datetime.now(timezone.utc)


def text(time):
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Yielded(Exception):
    pass


class BadOrder(Exception):
    pass


class Call:
    def __init__(self, call):
        self.run_id = call["run_id"]
        self.event = call["event"]
        self.done = {step["id"]: step for step in call["steps"] or [] if step["status"] == "completed"}
        self.used = {}
        self.news = []

    def step_id(self, name):
        count = self.used.get(name, 0)
        self.used[name] = count + 1
        escaped = name.replace("\\", "\\\\").replace(":", "\\:")
        return f"{self.run_id}:{escaped}:{count}"

    def run(self, name, work):
        id = self.step_id(name)
        if id in self.done:
            return self.done[id].get("output")
        started = now()
        output = work(id)
        self.news.append({
            "id": id, "name": name, "type": "invoke", "status": "completed",
            "started_at": text(started), "ended_at": text(now()), "output": output,
        })
        return output

    def sleep(self, name, seconds):
        id = self.step_id(name)
        if id not in self.done:
            until = text(now() + timedelta(seconds=seconds))
            raise Yielded({"type": "sleep", "step_id": id, "until": until})

    def wait_for(self, name, event, match):
        id = self.step_id(name)
        if id in self.done:
            return self.done[id]["output"]
        raise Yielded({"type": "wait_for_event", "step_id": id, "event_filter": {"event": event, "match": match}})


def effect(words):
    with open(EFFECTS, "a") as file:
        file.write(words + "\n")


def ship_order(call):
    data = call.event["data"]
    if not isinstance(data, dict) or "order" not in data:
        raise BadOrder("the event has no order")

    def reserve(part):
        def work(id):
            effect(f"reserve {part} {id}")
            return {"shelf": part}
        return work

    shelves = [call.run("reserve: part", reserve(part))["shelf"] for part in ("a", "b")]
    call.sleep("cool down", 0.1)
    payment = call.wait_for("payment", "order.paid", "data.order")

    def ship(id):
        effect(f"ship {id}")
        return {"by": payment["data"]["by"]}

    return {"shelves": shelves, "shipped": call.run("ship", ship)}


def answer(body):
    call = Call(json.loads(body))
    try:
        result = ship_order(call)
        return {"status": "completed", "steps": call.news, "result": result}
    except Yielded as left:
        return {"status": "yielded", "steps": call.news, "yield": left.args[0]}
    except BadOrder as error:
        return {"status": "failed", "steps": call.news, "error": {"message": str(error), "retryable": False}}
    except Exception as error:
        return {"status": "failed", "steps": call.news, "error": {"message": str(error), "retryable": True}}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        wanted = "sha256=" + hmac.new(KEY, body, hashlib.sha256).hexdigest()
        given = self.headers.get("X-Ironflow-Signature", "")
        if hmac.compare_digest(wanted, given):
            self.reply(200, answer(body))
        else:
            self.reply(401, {"error": {"code": "SIGNATURE_INVALID", "message": "the signature is missing or wrong"}})

    def reply(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
