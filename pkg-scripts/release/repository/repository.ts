/** A package repository to create or extend. */
export interface Repository {
  /** The directory of the packages to add. */
  readonly packages: string
  /** The directory that a web server serves. */
  readonly output: string
  /** The address of that server, without a final slash. */
  readonly url: string
  /** The fingerprint of a key of gpg. */
  readonly key: string
  /** The name of the publisher, as package managers show it. */
  readonly publisher: string
}

/** The name of the public key in the served directory. */
export const keyFile = 'gatepass.asc'
