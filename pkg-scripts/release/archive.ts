import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-stream'
import { ZipFile } from 'yazl'

/** One entry of an archive. Owner and time are the same for all entries, so that the same content gives the same bytes. */
export type Entry =
  | { readonly path: string; readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  | { readonly path: string; readonly kind: 'directory'; readonly mode: number }
  /** A hard link to an earlier entry. */
  | { readonly path: string; readonly kind: 'link'; readonly to: string; readonly mode: number }

/** A tar archive whose entries belong to root. */
export async function renderTar(entries: readonly Entry[], time: Date): Promise<Buffer> {
  const tar = pack()
  const whole = buffer(tar)
  for (const entry of entries) {
    const header = { name: entry.path, mode: entry.mode, mtime: time, uid: 0, gid: 0, uname: 'root', gname: 'root' }
    if (entry.kind === 'file') tar.entry(header, entry.content)
    else if (entry.kind === 'link') tar.entry({ ...header, type: 'link', linkname: entry.to })
    else tar.entry({ ...header, type: 'directory' })
  }
  tar.finalize()
  return whole
}

/** A ZIP archive for Windows, without links and modes. Level 0 is raised to 1, because it would not compress at all. */
export async function renderZip(entries: readonly Entry[], time: Date, level: number): Promise<Buffer> {
  const zip = new ZipFile()
  const compressionLevel = Math.max(1, level)
  // The format stores local time; the archive always stores UTC.
  const mtime = new Date(time.getTime() + time.getTimezoneOffset() * 60_000)
  const options = { mtime, forceDosTimestamp: true, mode: 0o644, compressionLevel }
  for (const entry of entries) {
    if (entry.kind === 'file') zip.addBuffer(entry.content, entry.path, options)
  }
  zip.end()
  return buffer(zip.outputStream)
}

/** Compresses with a single thread, because the output of several threads depends on the machine. */
export async function compressXz(content: Buffer, level: number): Promise<Buffer> {
  const xz = spawn('xz', [`-${level}`, '--threads=1', '--stdout'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [whole] = await Promise.all([buffer(xz.stdout), pipeline([content], xz.stdin)])
  return whole
}
