import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { vendor } from '../../../../src/vendor.ts'

/** The places in which a script looks for settings on a machine. */
export const settingsPaths = {
  managedFile: vendor.linuxManagedFile,
  managedPreferences: `/Library/Managed Preferences/${vendor.macosPayloadType}.plist`,
  userPreferences: `/Users/u/Library/Preferences/${vendor.macosPayloadType}.plist`,
} as const

/** Creates a directory that stands for the root of a machine, with a helper in it. Its name needs no quotes in a shell. */
export async function createStage() {
  const root = await mkdtemp(join(tmpdir(), 'gatepass-machine-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const helper = join(root, 'helper')
  const stage = { root, helper, toPath: (path: string) => join(root, path) }
  await installFile(helper, '#!/bin/sh\n', { mode: 0o755 })
  return stage
}

/** What {@link createStage} gives. */
export type Stage = Awaited<ReturnType<typeof createStage>>

/** Writes a file with this mode, whatever the umask, for this owner. */
export async function installFile(path: string, content: string | Uint8Array, { mode = 0o644, owner = 0 } = {}) {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  await chmod(path, mode)
  await chown(path, owner, owner)
}

/** Text in which the system's folders are those of the stage. */
export function moveTo({ root }: Stage, text: string): string {
  return ['/etc/', '/Library/Managed', '/Users/'].reduce((moved, path) => moved.replaceAll(path, root + path), text)
}

/**
 * Runs a script on the stage. `plutil` is that of libplist there, and `awk` the one true awk, which is that of macOS and the
 * strictest of all: what it runs, mawk, gawk and BusyBox run too (tried).
 */
export async function runScript(stage: Stage, script: string) {
  const tools = join(stage.root, 'tools')
  await installFile(join(tools, 'awk'), '#!/bin/sh\nexec original-awk "$@"\n', { mode: 0o755 })
  await installFile(join(tools, 'plutil'), '#!/bin/sh\nexec plistutil -i "$6" -f xml -o -\n', { mode: 0o755 })
  const input = moveTo(stage, script).replace('PATH=', `PATH=${tools}:`)
  const { exitCode, stdout, stderr } = await execa('sh', { input, reject: false, stripFinalNewline: false })
  return { status: exitCode, stdout, stderr }
}
