import type { KeyPlace } from './file-key.ts'

/** The files of one sign-in. Its key lies in another directory, so that a copy of one directory is of no use. */
export interface StoreFiles extends KeyPlace {
  readonly name: string
  /** What the sealed file is for; in the place of another sign-in it cannot be opened. */
  readonly purpose: string
  readonly directory: string
  readonly sealed: string
  /** The sealed file while it is being written. */
  readonly draft: string
  readonly lock: string
}
