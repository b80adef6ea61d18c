/** A repository of packages that is written, or added to. */
export interface Repository {
  /** The directory of the packages that are added. */
  readonly packages: string
  /** The directory that a web server serves. */
  readonly output: string
  /** The address of that server, without a slash at the end. */
  readonly url: string
  /** The fingerprint of a key of gpg. */
  readonly key: string
  /** The name of the publisher, as package managers show it. */
  readonly publisher: string
}

/** The name of the public key in the directory that is served. */
export const keyFile = 'gatepass.asc'
