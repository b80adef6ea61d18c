// Folder: manual pages and completions, made from the tables behind `--help`.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BuildFrom, bundle, writeProgram } from '../../bundle/bundle.ts'
import { renderStart } from '../../bundle/programs.ts'
import { renderFile } from '../../bundle/render-file.ts'
import { listHelpers } from '../../tree.ts'
import type { SharedFiles } from './print-shared-files.ts'

/**
 * Builds manual pages and completions from the tables behind `--help`, in a bundled program, so that they have the names of the same
 * vendor.
 */
export async function buildSharedFiles(from: BuildFrom, time: Date): Promise<SharedFiles> {
  const directory = await mkdtemp(join(tmpdir(), 'shared-'))
  try {
    const { packed } = await bundle(createProgram(from.tree), from)
    const path = join(directory, 'shared.cjs')
    writeProgram(path, await renderFile(packed, false))
    const env = { SOURCE_DATE_EPOCH: String(time.getTime() / 1000), HOME: directory }
    const { stdout } = await promisify(execFile)(process.execPath, [path], { env, maxBuffer: 2 ** 26 })
    return JSON.parse(stdout) // what our own program prints
  } finally {
    await rm(directory, { recursive: true })
  }
}

function createProgram(tree: string | undefined) {
  const lines = renderStart('./pkg-scripts/release/shared/print-shared-files.ts', listHelpers(tree))
  return { name: 'shared-files', entry: lines.join('\n'), isWaitedFor: false }
}
