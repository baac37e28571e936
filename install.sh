#!/bin/sh
# Brings what the npm scripts need, from Node 20 and npm alone: dependencies by lockfile, Node 24, a Chromium.
# Run by the pre… scripts of package.json; silent and quick when nothing is missing. stdout belongs to the command itself.
set -eu
exec 1>&2
cd "$(dirname "$0")"

stamp=node_modules/.installed           # touched when everything was installed
browser=node_modules/.chromium          # path of the browser found, or "none"
lock=.tmp/install.lock
playwright_seconds=120
apt_seconds=600

say() { echo "install: $*"; }

# An image brings its own Node, packages and browser.
if [ "${NODE_ENV:-}" = production ] && [ -d node_modules ]; then exit 0; fi

# npm writes its own record when somebody installs by hand: newer than the lockfile, there is nothing to do either.
fresh() {
  [ -e "$stamp" ] || return 1
  [ ! package-lock.json -nt "$stamp" ] || [ ! package-lock.json -nt node_modules/.package-lock.json ]
}

browser_known() {
  case "${npm_lifecycle_event:-prestart}" in prestart | pretest | prebench | preworker) ;; *) return 0 ;; esac
  [ -z "${CHROMIUM_PATH:-}" ] || return 0
  [ -e "$browser" ] || return 1
  read -r known < "$browser" || return 1
  [ "$known" = none ] || [ -x "$known" ]
}

if fresh && browser_known; then exit 0; fi

# A lock without an owner's number is that of somebody killed right here, once it is some seconds old.
abandoned() {
  owner=$(cat "$lock/pid" 2>/dev/null || true)
  if [ -z "$owner" ]; then [ "$waited" -gt 5 ]; else ! kill -0 "$owner" 2>/dev/null; fi
}

mkdir -p .tmp
waited=0
until mkdir "$lock" 2>/dev/null; do
  if abandoned; then
    rm -rf "$lock"
    continue
  fi
  [ "$waited" -gt 0 ] || say 'waiting for another installation'
  waited=$((waited + 1))
  sleep 1
done
trap 'rm -rf "$lock"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
echo $$ > "$lock/pid"

PATH="$PWD/node_modules/.bin:$PATH"
export PATH SCARF_ANALYTICS=false

if ! fresh; then
  say 'dependencies'
  npm ci --ignore-scripts --include=dev --include=optional --loglevel=error || {
    say 'npm ci failed'
    exit 1
  }
  # From here on `node` is the one just installed; install scripts must not run under the machine's older one.
  if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 24 || (a == 24 && b >= 12) ? 0 : 1)'; then
    say "Node $(node -v) is too old and no newer one comes by npm for this platform: install Node 24.12 or newer"
    exit 1
  fi
  npm rebuild --loglevel=error || {
    say 'npm rebuild failed'
    exit 1
  }
  touch "$stamp"
fi

browser_known && exit 0

# Prints the path of a browser that runs.
find_browser() {
  playwright=$(node -p 'require("playwright").chromium.executablePath()' 2>/dev/null || true)
  for candidate in "$playwright" chromium chromium-browser google-chrome google-chrome-stable; do
    path=$(command -v "$candidate" 2>/dev/null) && "$path" --version >/dev/null 2>&1 && echo "$path" && return 0
  done
  return 1
}

if ! find_browser > "$browser"; then
  say 'no Chromium found; downloading one'
  timeout "$playwright_seconds" playwright install chromium >/dev/null 2>&1 || say "Playwright's Chromium cannot be downloaded"
fi
if ! find_browser > "$browser" && [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then
  say 'installing the chromium package'
  export DEBIAN_FRONTEND=noninteractive
  timeout "$apt_seconds" sh -c 'apt-get update -qq && apt-get install -y -qq chromium' >/dev/null 2>&1 || say 'apt-get cannot install chromium'
fi
if ! find_browser > "$browser"; then
  echo none > "$browser"
  say "no Chromium: JavaScript pages are crawled as plain HTML (set CHROMIUM_PATH, or delete $browser to search again)"
fi
