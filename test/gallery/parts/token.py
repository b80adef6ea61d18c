import base64, json, os, sys, time

context = os.environ.get("VENDOR_HELPER_CONTEXT", "")
home = os.environ["HOME"]


def random_hex(count):
    return os.urandom(count).hex()


def fresh_token(life=7200):
    payload = base64.urlsafe_b64encode(json.dumps({"exp": int(time.time()) + life}).encode())
    return "h." + payload.decode().rstrip("=") + "." + random_hex(12)


def print_token(token=None):
    sys.stdout.write(json.dumps({"token": token or fresh_token()}) + "\n")


def ask(path, opener=None, url=None, **body):
    """Asks the token service; ends the run with a message where that fails."""
    # Loaded here alone: it takes as long as all else that a run does.
    import urllib.error, urllib.request

    request = urllib.request.Request((url or os.environ["TOKEN_SERVICE"]) + path, json.dumps(body).encode())
    try:
        return json.load((opener or urllib.request.urlopen)(request, timeout=3))
    except (urllib.error.URLError, OSError) as error:
        sys.exit(f"the token service cannot be used ({error})")


def read_json(name):
    try:
        with open(os.path.join(home, name)) as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def write_json(name, value):
    """Beside its target and renamed, for its owner alone."""
    draft = os.path.join(home, f"{name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        json.dump(value, file)
    os.rename(draft, os.path.join(home, name))


def count_run():
    """How many runs there were so far, this one included."""
    log = os.open(os.path.join(home, "runs"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(log, b".")
    return os.fstat(log).st_size
