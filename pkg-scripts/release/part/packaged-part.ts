// Folder: what every package format holds: an executable, its names, manual pages and completions.

import type { Vendor } from '../../../src/vendor/setting.ts'
import type { BundledProgram } from '../../bundle/programs.ts'
import type { ArchivedFile } from '../render-archive.ts'
import type { SharedFile } from './shared-file.ts'

/** One published file. */
export interface Published {
  readonly name: string
  readonly content: Buffer
}

/** An executable that is published by itself: the helpers for every desktop, or the command for administrators. */
export interface PackagedPart extends Pick<BundledProgram, 'name' | 'summary'> {
  /** The path of the built file. */
  readonly executable: string
  /** Further names of the executable, with `.exe` where the target wants that. */
  readonly names: readonly string[]
  /** The purpose of the part, in lines that follow the summary. */
  readonly description: readonly string[]
  /** Its manual pages and completions. */
  readonly shared: readonly SharedFile[]
  /** The pages that its `--help` names, in archives alone. */
  readonly pages: readonly ArchivedFile[]
  /** Parts that its archive holds as well, so that an administrator needs one file. */
  readonly beside: readonly PackagedPart[]
}

/** The publisher of a build, the address of help, and the licence: all from the vendor setting that the build is for. */
export type VendorPublisher = Pick<Vendor, 'publisher' | 'contact' | 'helpUrl' | 'licence'>

/** Renders the publisher as package managers name a maintainer: `NAME <ADDRESS>`, where a comma would separate two names (RFC 5322). */
export function renderMaintainer({ publisher, contact }: VendorPublisher): string {
  const name = publisher.replaceAll(/[<>]/g, '')
  return `${/[(),:;@[\\\]"]/.test(name) ? `"${name.replaceAll(/[\\"]/g, '\\$&')}"` : name} <${contact}>`
}

/** The texts and files of every package of a release besides the part itself. */
export interface Packaging extends VendorPublisher {
  readonly target: string
  readonly version: string
  readonly notices: Buffer
  /** The time of all published files. */
  readonly time: Date
  /** From 0 (fastest) to 9 (smallest). */
  readonly compression: number
}
