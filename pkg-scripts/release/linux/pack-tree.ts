import { execFile } from 'node:child_process'
import { chmod, link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Writes the entries into a temporary directory for the tool that packs it, with room for files of the tool next to it. Everything is
 * removed afterwards.
 */
export async function packTree(
  entries: readonly Entry[],
  time: Date,
  pack: (tree: string, run: RunTool) => Promise<Buffer>,
): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'package-'))
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    LC_ALL: 'C',
    // RPM treats 0 as no time.
    SOURCE_DATE_EPOCH: String(Math.max(1, Math.floor(time.getTime() / 1000))),
  }
  try {
    const tree = join(directory, 'tree')
    for (const entry of entries) await writeEntry(tree, entry)
    return await pack(tree, (tool, args) => promisify(execFile)(tool, args, { cwd: directory, env }))
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** An entry of a package. Its path begins at the root, without a slash, and its owner is root. */
export type Entry =
  | { readonly path: string; readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  /** A directory that belongs to the package; others are created as needed. */
  | { readonly path: string; readonly kind: 'directory' }
  /** A hard link to the path of an earlier entry. */
  | { readonly path: string; readonly kind: 'link'; readonly to: string }
  | { readonly path: string; readonly kind: 'symlink'; readonly to: string }

/** Runs a tool to its end; rejects with the tool's message if it fails. */
type RunTool = (tool: string, args: readonly string[]) => Promise<unknown>

async function writeEntry(tree: string, entry: Entry): Promise<void> {
  const path = join(tree, entry.path)
  if (entry.kind === 'directory') return createDirectory(path)
  await createDirectory(dirname(path))
  if (entry.kind === 'link') return link(join(tree, entry.to), path)
  if (entry.kind === 'symlink') return symlink(entry.to, path)
  await writeFile(path, entry.content)
  await chmod(path, entry.mode)
}

/** Everybody can read the installed files, whatever the umask is. */
async function createDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await chmod(made, 0o755)
}
