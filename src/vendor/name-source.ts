import type { VendorSetting } from './setting.ts'

/** The name of the vendor file in the machine's directory. */
export const vendorFileName = 'vendor.json'

/** Where the names of this process come from. */
export interface NameSource {
  /** Whose word it is: that of the build, of the machine's file, or of the one that `gatepass --vendor` names. */
  readonly from: 'build' | 'machine' | 'option'
  /** The file; absent where the build decides. */
  readonly path?: string
  /** What the file says; absent where the build decides, or where there is a failure. */
  readonly setting?: VendorSetting
  /** Why no name can be used. Whoever would use one refuses first. */
  readonly failure?: { readonly kind: 'not-configured' | 'late'; readonly message: string; readonly hint: string }
  /** Every look at a file that this comes from (`Look` of the runtime): a later call that sees the same has the same names. */
  readonly looks: readonly object[]
}

/**
 * A property of the process, and not of this module: the piece of a program that reads the file has modules of its own, and the
 * rest of the program is loaded after it.
 */
const key = Symbol.for('gatepass.names')
const holder = globalThis as { [key]?: NameSource }

/** Decides the names of this process. Called once, before anything is loaded that uses one. */
export function setNameSource(source: NameSource): void {
  holder[key] = source
}

/** What was decided; the build, where nobody looked further. */
export function findNameSource(): NameSource {
  return holder[key] ?? { from: 'build', looks: [] }
}
