#!/bin/sh
# Installs @NAME@ @VERSION@ below a prefix, or removes it:
#   ./install.sh [--prefix DIRECTORY]              version @VERSION@ under every name; older ones than the one before are removed
#   ./install.sh --uninstall [--prefix DIRECTORY]  all versions and names; configuration stays
# Every version keeps this script. To go back to a version, run DIRECTORY/versions/@NAME@-VERSION/install.sh --prefix DIRECTORY
set -eu
umask 022

name=@NAME@
links='@LINKS@'
# Manual pages and completions.
shared='@SHARED@'
prefix=/opt/gatepass
action=install
configuration=${GATEPASS_CONFIGURATION_DIRECTORY:-/etc/gatepass}
if [ "$(uname)" = Darwin ] && [ -z "${GATEPASS_CONFIGURATION_DIRECTORY:-}" ]; then
  configuration='/Library/Application Support/Gatepass'
fi

fail() {
  printf '%s\n' "install.sh: $1" "install.sh: hint: $2" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      [ $# -gt 1 ] || fail '--prefix has no value' 'write --prefix DIRECTORY'
      prefix=$2
      shift
      ;;
    --uninstall) action=uninstall ;;
    *) fail "unknown argument $1" './install.sh [--uninstall] [--prefix DIRECTORY]' ;;
  esac
  shift
done
case $prefix in
  /*) ;;
  *) fail "the prefix $prefix is not an absolute path" 'clients need absolute paths; begin it with /' ;;
esac

# A user who can write here, or owns the directory, can replace the programs of every client. For a link, its target is checked.
refuse_writable() {
  [ -d "$1" ] || return 0
  if [ -n "$(find -L "$1" -prune \( -perm -0020 -o -perm -0002 \))" ]; then
    fail "$1 can be written by other users" "chmod go-w '$1'"
  fi
  if [ -z "$(find -L "$1" -prune \( -user 0 -o -user "$(id -u)" \))" ]; then
    fail "$1 belongs to another user" "chown root '$1'"
  fi
}

# A package manager does not notice that this script replaces or removes its files.
refuse_packaged() {
  for query in 'dpkg-query --search' 'rpm --query --file'; do
    if package=$($query "$prefix/$name" 2>/dev/null); then
      fail "$prefix/$name belongs to the package ${package%%:*}" 'remove that package first, or name another directory with --prefix'
    fi
  done
}

# The name and version of the C library, such as "glibc 2.36" or "musl libc (x86_64)"; empty if no tool prints them.
find_library() {
  getconf GNU_LIBC_VERSION 2>/dev/null || ldd --version 2>&1 | head -n 1
}

# Checked before anything is written. A library that says nothing is left to the start of the program, further below.
refuse_other_library() {
  [ "$(uname)" = Linux ] || return 0
  library=$(find_library)
  case $library in
    'musl libc'*) ;;
    'glibc 2.'[0-9] | 'glibc 2.'[0-9].* | 'glibc 2.1'[0-9]* | 'glibc 2.2'[0-7]*) ;;
    *) return 0 ;;
  esac
  fail "the C library of this system is $library, and $name is built for glibc 2.28 or newer" \
    'install on a system with that library, such as Debian 10, Ubuntu 20.04, RHEL 8 or newer; elsewhere, run the bundles of "npm run build" with a Node of that system'
}

# Removes the directories that this run has created: the version completely, those around it if they are empty.
remove_made() {
  for made in "$@"; do
    if [ "$made" = "$home" ]; then rm -rf "$home"; else rmdir "$made" 2>/dev/null || true; fi
  done
}

unwritten='fix what the line above reports and run this again; every name still runs a complete version'

# Writes beside the target and renames, so that no name is ever missing or left on an old version. A name that is a link to
# the file already is left unchanged, because renaming it over itself is an error.
replace_file() {
  rm -f "$2.new"
  if [ "$1" -ef "$2" ]; then return; fi
  if ! "$3" "$1" "$2.new"; then
    rm -f "$2.new"
    fail "$2 cannot be written" "$unwritten"
  fi
  mv -f "$2.new" "$2"
}

# On macOS a clone, which needs no disk space; not every disk supports clones.
copy_file() {
  if [ "$(uname)" = Darwin ] && cp -c "$1" "$2" 2>/dev/null; then return; fi
  cp "$1" "$2"
}

# The same for a path below both directories.
install_file() {
  mkdir -p "$(dirname "$2/$3")" || fail "$2/$3 cannot be written" "$unwritten"
  replace_file "$1/$3" "$2/$3" "$4"
}

# Continues after a failure to remove something: the last line lists everything that stayed.
remove() {
  rm "$1" "$2" || remained="$remained '$2'"
}

# Versions begin with a digit: a name that only begins with this one belongs to another program. Each version lists its
# names, because an older or newer one may have others than this script knows.
uninstall() {
  remained=
  for link in $({ printf '%s\n' $name $links $shared; cat "$prefix/versions/$name"-[0-9]*/names 2>/dev/null; } | sort -u); do
    remove -f "$prefix/$link"
    remove -f "$prefix/$link.new"
  done
  for version in "$prefix/versions/$name"-[0-9]*; do remove -rf "$version"; done
  # The files that an installer package of macOS has installed.
  remove -rf "$prefix/package/$name"
  find "$prefix/share" -depth -type d -exec rmdir {} + 2>/dev/null || true
  rmdir "$prefix/versions" "$prefix/package" "$prefix" 2>/dev/null || true
  [ -z "$remained" ] || fail "not removed:$remained" 'fix what the lines above report, then remove what is named here as an administrator'
}

# The version that the names run; after a second run of the same version, the one before it.
find_previous() {
  for version in "$prefix/versions/$name"-[0-9]*; do
    [ "$version/$name" -ef "$prefix/$name" ] || continue
    if [ "$version" = "$home" ]; then cat "$home/previous" 2>/dev/null || true; else printf '%s\n' "$version"; fi
    return 0
  done
}

# A name that newer versions lack still runs its own version.
has_name() {
  while read -r link; do
    if [ "$prefix/$link" -ef "$1/$name" ]; then return 0; fi
  done <"$1/names"
  return 1
}

# Whether a process runs this file, under whatever name.
is_running() {
  for program in /proc/[0-9]*/exe; do
    if [ "$program" -ef "$1" ]; then return 0; fi
  done
  if [ -d /proc/self ]; then return 1; fi
  [ -n "$(lsof -t "$1" 2>/dev/null)" ]
}

# If the previous version is unknown, every version stays.
remove_older() {
  [ -n "$previous" ] || return 0
  printf '%s\n' "$previous" >"$home/previous"
  for version in "$prefix/versions/$name"-[0-9]*; do
    case $version in "$home" | "$previous" | "$here") continue ;; esac
    if [ ! -f "$version/names" ] || has_name "$version" || is_running "$version/$name"; then continue; fi
    rm -rf "$version" || printf 'install.sh: warning: the old version %s cannot be removed\n' "$version" >&2
  done
}

refuse_packaged
if [ "$action" = uninstall ]; then
  uninstall
  exit 0
fi

refuse_other_library
here=$(cd "$(dirname "$0")" && pwd)
home=$prefix/versions/$name-@VERSION@
refuse_writable "$prefix"
refuse_writable "$prefix/versions"
# The missing directories, innermost first.
set --
for directory in "$configuration" "$prefix" "$prefix/versions" "$home"; do
  [ -d "$directory" ] || set -- "$directory" "$@"
done
mkdir -p "$home" "$configuration" ||
  fail "$home or $configuration cannot be created" 'run this as an administrator, for example with sudo'
refuse_writable "$configuration"
if [ "$here" != "$home" ]; then
  for file in "$name" install.sh THIRD-PARTY-NOTICES.txt $shared; do install_file "$here" "$home" "$file" copy_file; done
fi
printf '%s\n' $name $links $shared >"$home/names" || fail "$home/names cannot be written" "$unwritten"
chmod 755 "$prefix" "$prefix/versions" "$home" "$home/$name" "$home/install.sh"
# Checked before any name is linked to the version.
if ! "$home/$name" --version >/dev/null; then
  remove_made "$@"
  fail "$home/$name does not start on this machine" 'install what the line above misses, such as libatomic and libstdc++'
fi
previous=$(find_previous)
for link in $name $links; do replace_file "$home/$name" "$prefix/$link" ln; done
for file in $shared; do install_file "$home" "$prefix" "$file" ln; done
remove_older
