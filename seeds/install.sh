#!/bin/sh
# Installs git-sq from a release, if its checksum is right. The environment says otherwise:
#   SQ_VERSION     the tag of a release; by default the latest
#   SQ_BIN         the folder that gets the program; by default ~/.local/bin
#   SQ_REPOSITORY  OWNER/NAME on GitHub
#   SQ_RELEASES    the address of the releases, where they are elsewhere
set -eu

repository=${SQ_REPOSITORY:-OWNER/NAME}
releases=${SQ_RELEASES:-https://github.com/$repository/releases}
bin=${SQ_BIN:-$HOME/.local/bin}

fail() {
  printf 'fatal: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}

case $(uname -m) in
  x86_64 | amd64) machine=x86_64 ;;
  aarch64 | arm64) machine=aarch64 ;;
  *) machine=$(uname -m) ;;
esac
case $(uname -s) in
  Linux) target=$machine-unknown-linux-musl program=git-sq ;;
  Darwin) target=$machine-apple-darwin program=git-sq ;;
  MINGW* | MSYS* | CYGWIN*) target=$machine-pc-windows-msvc program=git-sq.exe ;;
  *) target=$machine-$(uname -s) program=git-sq ;;
esac
case $target in
  x86_64-unknown-linux-musl | aarch64-unknown-linux-musl | x86_64-apple-darwin | aarch64-apple-darwin | x86_64-pc-windows-msvc) ;;
  *) fail "there is no release for $target" "build it: cargo install --locked --git https://github.com/$repository" ;;
esac

archive=git-sq-$target.tar.gz
case ${SQ_VERSION:-} in
  '') from=$releases/latest/download ;;
  *) from=$releases/download/$SQ_VERSION ;;
esac

fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 -o "$folder/$1" "$from/$1"
  else
    wget -q -O "$folder/$1" "$from/$1"
  fi || fail "could not fetch $from/$1" "check the version and the address of the releases"
}

sum() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fetch SHA256SUMS
fetch "$archive"
want=$(awk -v name="$archive" '$2 == name { print $1 }' "$folder/SHA256SUMS")
have=$(sum <"$folder/$archive")
if [ -z "$want" ] || [ "$want" != "$have" ]; then
  fail "the checksum of $archive is wrong: $have, and not ${want:-in SHA256SUMS}" 'nothing was installed; do not use the file'
fi
tar -xzf "$folder/$archive" -C "$folder" "$program"
mkdir -p "$bin"
mv "$folder/$program" "$bin/$program"
# Git shows it for `git sq --help`.
"$bin/$program" man --install >/dev/null || :
printf 'Installed %s.\n' "$("$bin/$program" -V)"
case :$PATH: in
  *:"$bin":*) ;;
  *) printf 'Add it to the PATH: export PATH="%s:$PATH"\n' "$bin" ;;
esac
