// Folder: what every package format holds: an executable, its names, manual pages and completions.

import type { BundledProgram } from '../../bundle/programs.ts'
import type { ArchivedFile } from '../archive.ts'
import type { SharedFile } from './shared-file.ts'

/** One published file. */
export interface Published {
  readonly name: string
  readonly content: Buffer
}

/** An executable that is published by itself: the helpers for every desktop, or the command for administrators. */
export interface PackagedPart extends Pick<BundledProgram, 'name' | 'summary'> {
  /** Its path. */
  readonly executable: string
  /** Further names of the executable, with `.exe` where the target wants that. */
  readonly names: readonly string[]
  /** The purpose of the part, in lines that follow the summary. */
  readonly description: readonly string[]
  /** Its manual pages and completions. */
  readonly shared: readonly SharedFile[]
  /** The pages that its `--help` names, in archives alone. */
  readonly pages: readonly ArchivedFile[]
}

/** What every package of a release says or holds beside the part itself. */
export interface Packaging {
  readonly target: string
  readonly version: string
  readonly notices: Buffer
  /** The time that everything published carries. */
  readonly time: Date
  /** From 0, the fastest, to 9, the smallest. */
  readonly compression: number
  /** As `NAME <ADDRESS>`. */
  readonly maintainer: string
  /** Who publishes it, by the vendor setting that is built for. */
  readonly publisher: string
}
