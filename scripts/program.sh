# Sourced by the other scripts: builds what they run, if it is missing or older than its sources, and runs it.
# program MODULE MAIN ARGUMENTS...; Java's options come from the array java_options, Maven's profiles from profiles.

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
java_options=()
profiles=program

fail() {
  echo "${0##*/}: $1" >&2
  exit 70
}

# The commit that is checked out, with a sign where files differ from it.
checkout() {
  git -C "$root" describe --always --dirty=+ --exclude='*' 2> /dev/null || echo unknown
}

# Whether a module's classes are there, no older than their sources, and the class path names what exists.
is_current() {
  local module=$1 target=$root/$1/target/program entry
  local -a sources=(pom.xml {envelope-core,idempotency,consumer-app}/{pom.xml,src/main} {envelope-core,idempotency}/src/test)
  [ "$module" = consumer-app ] || sources+=(integration-tests/pom.xml integration-tests/broker-classpath/pom.xml
    integration-tests/{stack,oracle,example,bench}/{pom.xml,src/main} "$module"/{pom.xml,src/main})
  [ -f "$target/built" ] && [ -s "$target/classpath.txt" ] && [ -d "$target/classes" ] || return 1
  local -a entries
  IFS=: read -ra entries < "$target/classpath.txt"
  for entry in "${entries[@]}"; do [ -e "$entry" ] || return 1; done
  [ -z "$(cd "$root" && find "${sources[@]}" -newer "$target/built" -type f -print -quit)" ]
}

# Offline first: with the dependencies there, it is much quicker. test-compile: that is where one module sees
# another's classes; nothing is tested.
build() {
  local module=$1 log now
  command -v mvn > /dev/null || fail "there is no mvn, and the program has to be built first: install Maven (3.8.5 or later)"
  echo "building ... (only when the sources have changed)" >&2
  log=$(mktemp)
  now=$(mktemp)
  trap 'rm -f "$log" "$now"' EXIT
  local -a maven=(mvn -q -B -ntp -P"$profiles" -pl "$module" -am test-compile)
  if ! (cd "$root" && "${maven[@]}" -o) > "$log" 2>&1 && ! (cd "$root" && "${maven[@]}") > "$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail "the build failed"
  fi
  # As old as the beginning of the build: what changed meanwhile is built next time.
  touch -r "$now" "$root/$module/target/program/built"
  rm -f "$log" "$now"
  trap - EXIT
}

program() {
  local module=$1 main=$2 java=java
  shift 2
  local mend='install a JDK (17 or later), or set JAVA_HOME'
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    mend='correct JAVA_HOME (a JDK, 17 or later), or unset it'
  fi
  command -v "$java" > /dev/null || fail "there is no $java: $mend"
  is_current "$module" || build "$module"
  # Word splitting is wanted: several options in one variable.
  # shellcheck disable=SC2086
  exec "$java" -XX:-UsePerfData "${java_options[@]}" ${ENVELOPE_JAVA_OPTS:-} \
    -cp "$root/$module/target/program/classes:$(cat "$root/$module/target/program/classpath.txt")" "$main" "$@"
}
