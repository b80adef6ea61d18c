/** One file of a release that a store refers to. */
export interface StoreFile {
  readonly name: string
  /** The digest of its content, in lower case. */
  readonly sha256: string
}

/** The facts for stores about a release of the administrator's command. */
export interface StoreRelease {
  readonly version: string
  /** The repository's page, below which its releases are, without a final slash. */
  readonly homepage: string
  /** The licence of the packages, as an SPDX expression. */
  readonly licence: string
  /** Archives for macOS, by Homebrew's name of the processor. */
  readonly archives: Readonly<Record<'arm' | 'intel', StoreFile>>
  /** Packages for Windows, by winget's name of the processor. */
  readonly installers: Readonly<Record<'x64' | 'arm64', StoreFile & StoreInstaller>>
}

/** The names and codes under which Windows lists an installed package. */
export interface StoreInstaller {
  readonly displayName: string
  readonly publisher: string
  readonly productCode: string
  readonly upgradeCode: string
}

/** A file for a store. */
export interface StoreManifest {
  readonly name: string
  readonly text: string
}

/** Returns the address at which a file of a release can be downloaded. */
export function toDownloadUrl({ homepage, version }: StoreRelease, name: string): string {
  return `${homepage}/releases/download/v${version}/${name}`
}
