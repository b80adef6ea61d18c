/**
 * Spells a version as Debian and RPM do: for both a hyphen begins the revision of the packaging, and a tilde a version that comes before,
 * so that `1.0.0-beta.1` is older than `1.0.0`.
 */
export function toPackageVersion(version: string): string {
  return version.replaceAll('-', '~')
}
