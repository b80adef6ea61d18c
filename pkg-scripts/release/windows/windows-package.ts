/** The content of an MSI, and the facts that Windows lists. */
export interface WindowsPackage {
  /** The executable's name without `.exe`, by which an upgrade finds the earlier version. */
  readonly name: string
  /** Three numbers. */
  readonly version: string
  /** Node's name of platform and processor. */
  readonly target: string
  readonly summary: string
  readonly publisher: string
  /** The contact that the list of installed programs shows. */
  readonly contact: string
  /** The page with help, which that list shows as well. */
  readonly helpUrl: string
  readonly executable: Buffer
  /** Further names of the executable, each with `.exe`. */
  readonly names: readonly string[]
  readonly notices: Buffer
  readonly time: Date
}
