/**
 * Spells a version as Debian and RPM do: for both a hyphen begins the revision of the packaging, and a tilde a version that comes before,
 * so that `1.0.0-beta.1` is older than `1.0.0`.
 */
export function toPackageVersion(version: string): string {
  return version.replaceAll('-', '~')
}

/** Renders the name of a Debian package's file. The epoch and the revision of the packaging are not part of it. */
export function renderDebianName(name: string, version: string, architecture: string): string {
  return `${name}_${toPackageVersion(version)}_${architecture}.deb`
}

/** Renders the name of an RPM package's file, in the first revision of the packaging. */
export function renderRpmName(name: string, version: string, architecture: string): string {
  return `${name}-${toPackageVersion(version)}-1.${architecture}.rpm`
}
