#!/bin/sh
# Installs the packages of a release for the system and the processor of this runner: install-packages.sh DIRECTORY
set -eu
case $RUNNER_ARCH in
  ARM64) processor=arm64 debian=arm64 ;;
  *) processor=x64 debian=amd64 ;;
esac
case $RUNNER_OS in
  Linux)
    sudo apt-get install --yes --no-install-recommends libatomic1
    sudo dpkg --install "$1"/gatepass*_"$debian".deb
    ;;
  macOS)
    for package in "$1"/*-darwin-"$processor".pkg; do sudo installer -pkg "$package" -target /; done
    ;;
  Windows)
    for package in "$1"/*-win32-"$processor".msi; do
      # The shell of Git would treat the switches as paths.
      MSYS2_ARG_CONV_EXCL='*' msiexec.exe /i "$(cygpath --windows --absolute "$package")" /qn /norestart
    done
    ;;
esac
