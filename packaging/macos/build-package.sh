#!/bin/sh
# Makes an installer package of an archive for macOS, with Apple's tools: build-package.sh ARCHIVE.tar.xz PACKAGE.pkg
# The package installs the archive's files in /opt/gatepass/package/NAME and runs the install.sh in it, so that the layout, an
# upgrade, a way back and the removal are those of the archive. That folder has the same path in every version: the Installer removes
# what the package before has laid down and this one does not (macops.ca/flat-packages-persisting-obsolescence), which would be the
# version to go back to. With SIGN_MACOS_INSTALLER_IDENTITY it is signed.
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd)
archive=$1
package=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$work/archive" "$work/root/opt/gatepass/package"
# An archive may contain another part besides the one in its name.
folder=$(basename "$archive")
folder=${folder%-darwin-*}
tar -xf "$archive" -C "$work/archive" "$folder"
name=${folder%-[0-9]*}
version=${folder#"$name"-}
payload=$work/root/opt/gatepass/package/$name
mv "$work/archive/$folder" "$payload"
identifier=$("$here/read-identifier.sh" "$payload/$name")
case $archive in
  *-arm64.tar.xz) processor=arm64 ;;
  *) processor=x86_64 ;;
esac

# The installer passes the volume as the third argument, which is / unless somebody chose another.
mkdir "$work/scripts" "$work/packages"
cat >"$work/scripts/postinstall" <<SCRIPT
#!/bin/sh
set -eu
prefix=\${3%/}/opt/gatepass
exec "\$prefix/package/$name/install.sh" --prefix "\$prefix"
SCRIPT
chmod 755 "$work/scripts/postinstall"

# Node 26 runs on macOS 13.5 and newer.
cat >"$work/distribution.xml" <<XML
<?xml version="1.0" encoding="utf-8"?>
<installer-gui-script minSpecVersion="2">
  <title>$name $version</title>
  <options customize="never" require-scripts="false" hostArchitectures="$processor"/>
  <domains enable_anywhere="false" enable_currentUserHome="false" enable_localSystem="true"/>
  <allowed-os-versions><os-version min="13.5"/></allowed-os-versions>
  <choices-outline><line choice="all"/></choices-outline>
  <choice id="all" visible="false"><pkg-ref id="$identifier"/></choice>
  <pkg-ref id="$identifier" version="$version" onConclusion="none">$name.pkg</pkg-ref>
</installer-gui-script>
XML

pkgbuild --root "$work/root" --install-location / --ownership recommended --identifier "$identifier" \
  --version "$version" --min-os-version 13.5 --scripts "$work/scripts" "$work/packages/$name.pkg"
productbuild --distribution "$work/distribution.xml" --package-path "$work/packages" "$work/unsigned.pkg"
if [ -n "${SIGN_MACOS_INSTALLER_IDENTITY:-}" ]; then
  productsign --timestamp --sign "$SIGN_MACOS_INSTALLER_IDENTITY" "$work/unsigned.pkg" "$package"
else
  mv "$work/unsigned.pkg" "$package"
fi
