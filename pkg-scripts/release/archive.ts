import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-stream'
import { ZipFile } from 'yazl'

/** What lies in an archive. Owner and time are the same for all, so that the same content gives the same bytes. */
export type Entry =
  | { readonly path: string; readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  | { readonly path: string; readonly kind: 'directory'; readonly mode: number }
  /** The same file as one that comes before it. */
  | { readonly path: string; readonly kind: 'link'; readonly to: string; readonly mode: number }

/** A tar archive, owned by root. */
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

/** A ZIP archive for Windows, which keeps neither links nor modes. Level 0 would not compress at all, and is 1. */
export async function renderZip(entries: readonly Entry[], time: Date, level: number): Promise<Buffer> {
  const zip = new ZipFile()
  const compressionLevel = Math.max(1, level)
  // The format keeps local time: of every zone that of UTC.
  const mtime = new Date(time.getTime() + time.getTimezoneOffset() * 60_000)
  const options = { mtime, forceDosTimestamp: true, mode: 0o644, compressionLevel }
  for (const entry of entries) {
    if (entry.kind === 'file') zip.addBuffer(entry.content, entry.path, options)
  }
  zip.end()
  return buffer(zip.outputStream)
}

/** Compresses with one thread, because several give other bytes on another machine. */
export async function compressXz(content: Buffer, level: number): Promise<Buffer> {
  const xz = spawn('xz', [`-${level}`, '--threads=1', '--stdout'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [whole] = await Promise.all([buffer(xz.stdout), pipeline([content], xz.stdin)])
  return whole
}
